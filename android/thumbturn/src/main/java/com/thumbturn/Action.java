package com.thumbturn;

import static java.util.Objects.requireNonNull;

import androidx.annotation.Nullable;
import com.thumbturn.internal.Message;
import java.time.Duration;

/** An action that demands a fresh proof of presence, a step-up (RFC 9470). */
public final class Action {
    /** A payment to a new recipient: a proof each time. */
    public static final Action NEW_RECIPIENT = new Action("new-recipient", Duration.ZERO);
    /** A payment to a recipient who was paid before: 5 minutes. */
    public static final Action EXISTING_RECIPIENT = new Action("existing-recipient", Duration.ofSeconds(300));
    /** Showing a card's number: 2 minutes. */
    public static final Action CARD_DETAILS = new Action("card-details", Duration.ofSeconds(120));
    /** Handing out statements: 5 minutes. */
    public static final Action STATEMENT_EXPORT = new Action("statement-export", Duration.ofSeconds(300));

    /** The name in the challenge's claim {@code act}. */
    public final String name;

    /** The maximum age of the proof; zero demands a new prompt each time. */
    public final Duration maximumAge;

    /** Whether an unlock within the maximum age stands in, where the server's rule takes one too. */
    public final boolean takesUnlock;

    /**
     * Names an action: 1 to 64 of a to z, 0 to 9 and -, with a maximum age of 0 to 300 s. Another one fails with {@link
     * Failure#POLICY_DENIES} where it is used.
     */
    public Action(String name, Duration maximumAge) {
        this(name, maximumAge, false);
    }

    /** Names an action for which an unlock may stand in. */
    public Action(String name, Duration maximumAge, boolean takesUnlock) {
        this.name = requireNonNull(name, "name");
        this.maximumAge = requireNonNull(maximumAge, "maximumAge");
        this.takesUnlock = takesUnlock;
    }

    static void write(@Nullable Action action, Message.Writer to) {
        if (action == null) {
            to.text(null);
        } else {
            to.text(action.name).number(milliseconds(action.maximumAge)).flag(action.takesUnlock);
        }
    }

    /** The milliseconds, rounded up; the most that a number holds for more. */
    private static long milliseconds(Duration time) {
        try {
            return time.plusNanos(999_999).toMillis();
        } catch (ArithmeticException tooLong) {
            return Long.MAX_VALUE;
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
