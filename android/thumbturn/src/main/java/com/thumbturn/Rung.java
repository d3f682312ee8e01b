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

    final String name;

    Rung(String name) {
        this.name = name;
    }

    static Rung named(String name) {
        for (Rung rung : values()) {
            if (rung.name.equals(name)) {
                return rung;
            }
        }
        throw new IllegalArgumentException("there is no rung " + name);
    }
}
