package com.thumbturn;

import com.thumbturn.internal.Message;

/** The contents of the PIN screen. It prints without the reason. */
public final class PinRequest {
    /** Why the person is asked, in the app's words. */
    public final String reason;

    /** The text of the cancel button, in the app's language. It may name another rung. */
    public final String cancelButton;

    /** How many wrong PINs were entered since the last right one, on this device. */
    public final int wrongInARow;

    PinRequest(Message.Reader fields) {
        reason = fields.text();
        cancelButton = fields.text();
        wrongInARow = fields.number(0, Integer.MAX_VALUE);
    }

    @Override
    public String toString() {
        return "PIN screen, try " + (wrongInARow + 1);
    }
}
