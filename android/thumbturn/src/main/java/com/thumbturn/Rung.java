package com.thumbturn;

/** A step of the fallback ladder, from the most convenient to the full sign-in. */
public enum Rung {
    /** The sensor: a face, a finger, an iris. */
    BIOMETRIC("biometric"),
    /** The PIN, pattern or password that unlocks the phone. */
    DEVICE_PASSCODE("devicePasscode"),
    /** The PIN that belongs to this app. */
    APP_PIN("appPIN"),
    /** The full sign-in, for example password and one-time code. */
    FULL_CREDENTIALS("fullCredentials");

    /** The name in the library's documentation, in logs and on the wire. */
    public final String code;

    Rung(String code) {
        this.code = code;
    }

    static Rung named(String code) {
        for (Rung rung : values()) {
            if (rung.code.equals(code)) {
                return rung;
            }
        }
        throw new IllegalArgumentException("there is no rung " + code);
    }
}
