package com.thumbturn;

/** The ladder and the numbers of an unlock. */
public enum Policy {
    /** Opening an app: sensor, device passcode, the app's PIN, full sign-in. */
    UNLOCK("unlock"),
    /** A screen with private contents: as {@link #UNLOCK}, but the device passcode does not open it. */
    SENSITIVE_SCREEN("sensitiveScreen"),
    /** An action that neither the device passcode nor a PIN may authorise: sensor, then full sign-in. */
    HIGH_RISK("highRisk"),
    /** Confirming a transaction: a tap first; the PIN after three mismatches. */
    TRANSACTION("transaction"),
    /** A credential in a vault: sensor, then device passcode, as far as the vault's access has them. */
    STORED_CREDENTIAL("storedCredential"),
    /** Files that a vault seals: as {@link #STORED_CREDENTIAL}, but the prompt waits for a tap. */
    DATA_AT_REST("dataAtRest");

    final String name;

    Policy(String name) {
        this.name = name;
    }
}
