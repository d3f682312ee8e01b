package com.thumbturn;

import androidx.annotation.Nullable;
import com.thumbturn.internal.Message;
import java.time.Duration;

/** The state of one key, found without a prompt. */
public final class KeyState {
    /** The states. */
    public enum Kind {
        /** The key is there and can be used. */
        USABLE("usable"),
        /** There is no such key. */
        MISSING("missing"),
        /** The key existed and is gone for good; see {@link KeyState#loss}. */
        INVALIDATED("invalidated"),
        /** The key takes no guess for a while, after too many wrong PINs; see {@link KeyState#pause}. */
        PAUSED("paused"),
        /** The phone has not been unlocked since it started. This never means signed out. */
        NOT_YET_READABLE("notYetReadable");

        private final String name;

        Kind(String name) {
            this.name = name;
        }

        private static Kind named(String name) {
            for (Kind kind : values()) {
                if (kind.name.equals(name)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("there is no state of a key " + name);
        }
    }

    /** The state. */
    public final Kind kind;

    /** Why the key is gone, such as {@code enrolmentChanged}; null where it is not. */
    @Nullable public final String loss;

    /** How long the key takes no guess; null where it does. */
    @Nullable public final Duration pause;

    /** The text to show beside a key that cannot be used now; null for one that can. */
    @Nullable public final String text;

    private KeyState(Message.Reader fields) {
        kind = Kind.named(fields.text());
        loss = fields.textOrNull();
        Long milliseconds = fields.numberOrNull();
        pause = milliseconds == null ? null : Duration.ofMillis(milliseconds);
        text = fields.textOrNull();
    }

    static KeyState read(Message.Reader fields) {
        return new KeyState(fields);
    }

    @Override
    public String toString() {
        return loss == null ? kind.name : kind.name + " (" + loss + ")";
    }
}
