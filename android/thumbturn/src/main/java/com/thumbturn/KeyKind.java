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

    /** The name in the library's documentation, in logs and on the wire. */
    public final String code;

    KeyKind(String code) {
        this.code = code;
    }

    static KeyKind named(String code) {
        for (KeyKind kind : values()) {
            if (kind.code.equals(code)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("there is no kind of key " + code);
    }
}
