package com.thumbturn;

/** The purpose of a key of this device. No key accepts two factors. */
public enum KeyKind {
    /** Demands the sensor at each use. */
    BIOMETRIC("biometric"),
    /** Demands the device passcode at each use. */
    PASSCODE("passcode"),
    /** Demands the app's PIN at each use. */
    PIN("pin"),
    /** Signs without the person: it binds tokens and requests to the device. */
    SESSION("session");

    final String name;

    KeyKind(String name) {
        this.name = name;
    }

    static KeyKind named(String name) {
        for (KeyKind kind : values()) {
            if (kind.name.equals(name)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("there is no kind of key " + name);
    }
}
