package com.thumbturn;

import androidx.annotation.Nullable;
import com.thumbturn.internal.Message;
import java.time.Instant;
import java.util.List;

/**
 * A transaction that a back end asks this account to approve. What it shows is what a key signs, byte for byte.
 *
 * <p>It prints without the transaction, which may name people.
 */
public final class Approval {
    /** One line of the transaction. */
    public static final class Line {
        /** What the line tells, in the app's language. */
        public final String label;

        /** Letter by letter as it is signed. */
        public final String value;

        private Line(Message.Reader fields) {
            label = fields.text();
            value = fields.text();
        }
    }

    final byte[] record;

    /** The approval's id at the server. */
    public final String id;

    /** Its state when it was fetched: open, approved, redeemed, declined, withdrawn or expired. */
    public final String state;

    /** Whether this account has signed all that is demanded of it. */
    public final boolean isSigned;

    /** The server's name for the back end that asks. */
    public final String from;

    /** The kind of transaction, in the app's language. */
    public final String title;

    /** Everything that is signed, the most important line first. Show them all. */
    public final List<Line> lines;

    /** A warning to show beside a name that mixes alphabets; null where there is none. */
    @Nullable public final String caution;

    /** When it expires, by the server's clock. */
    public final Instant expiresAt;

    private Approval(Message.Reader fields) {
        record = fields.bytes();
        id = fields.text();
        state = fields.text();
        isSigned = fields.flag();
        from = fields.text();
        title = fields.text();
        lines = fields.list(Line::new);
        caution = fields.textOrNull();
        expiresAt = Instant.ofEpochSecond(fields.number());
    }

    static Approval read(Message.Reader fields) {
        return new Approval(fields);
    }

    @Override
    public String toString() {
        return "approval " + id + ", " + state;
    }
}
