package com.thumbturn;

import static java.util.Objects.requireNonNull;

/** What makes an unlock begin. */
public final class Start {
    /** A tap, or the app's own call: the prompt appears at once. */
    public static final Start TAP = new Start("tap");
    /** The screen appeared: the prompt appears after the policy's time, or waits for a tap. */
    public static final Start SCREEN = new Start("screen");

    final String name;

    private Start(String name) {
        this.name = name;
    }

    /** A tap on a button that names this rung: it is asked at once, and then what follows it on the ladder. */
    public static Start at(Rung rung) {
        return new Start(requireNonNull(rung, "rung").code);
    }

    @Override
    public String toString() {
        return name;
    }
}
