package com.thumbturn;

import androidx.annotation.Nullable;
import com.thumbturn.internal.Message;
import java.time.Duration;

/** An event of a running unlock or another ceremony, for the screen behind its prompt and for telemetry. */
public final class News {
    /** The kinds of events. */
    public enum Kind {
        /** The moment to offer another way, {@link News#rung}, beside the prompt. */
        HINT,
        /** The sensor saw too little and asks again, which is no mismatch. {@link News#name} tells how. */
        READ_POORLY,
        /** Something is missing that the person could set up: {@link News#failure} leads to the settings. */
        OFFER_SET_UP,
        /** The ladder moved from {@link News#from} to {@link News#rung}, because of {@link News#name}. */
        MOVED,
        /** A ceremony, {@link News#name}, begins. */
        BEGAN,
        /** A ceremony has ended: with {@link News#code}, or null where it succeeded. */
        ENDED,
        /** An event to count, in {@link News#name}. It carries no identifiers. */
        TELEMETRY
    }

    /** The kind. */
    public final Kind kind;

    /** The name of the reading, the trigger or the ceremony, or what to count. */
    @Nullable public final String name;

    /** The text for the person, in the app's language; null where there is none. */
    @Nullable public final String text;

    /** The rung that is offered, or that the ladder moved to. */
    @Nullable public final Rung rung;

    /** The rung that the ladder moved from. */
    @Nullable public final Rung from;

    /** How long the cross-fade from rung to rung takes. */
    @Nullable public final Duration transition;

    /** What is missing. */
    @Nullable public final Failure failure;

    /** Tells a ceremony from others that run beside it; 0 for other kinds. */
    public final long number;

    /** The code of the failure that a ceremony ended with. */
    @Nullable public final String code;

    private News(Message.Reader fields) {
        kind = Kind.values()[fields.number(1, Kind.values().length) - 1];
        from = kind == Kind.MOVED ? Rung.named(fields.text()) : null;
        rung = kind == Kind.MOVED || kind == Kind.HINT ? Rung.named(fields.text()) : null;
        failure = kind == Kind.OFFER_SET_UP ? Failure.read(fields) : null;
        name = kind == Kind.HINT || kind == Kind.OFFER_SET_UP ? null : fields.text();
        transition = kind == Kind.MOVED ? Duration.ofMillis(fields.number()) : null;
        boolean hasText = kind == Kind.HINT || kind == Kind.READ_POORLY || kind == Kind.MOVED;
        text = hasText ? fields.text() : failure == null ? null : failure.getMessage();
        number = kind == Kind.BEGAN || kind == Kind.ENDED ? fields.number() : 0;
        code = kind == Kind.ENDED ? fields.textOrNull() : null;
        fields.end();
    }

    static News read(Message.Reader fields) {
        return new News(fields);
    }

    @Override
    public String toString() {
        return kind + (name == null ? "" : " " + name) + (rung == null ? "" : " " + rung.code);
    }
}
