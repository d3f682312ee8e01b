package com.thumbturn;

import androidx.annotation.Nullable;
import com.thumbturn.internal.Message;
import java.io.Serializable;
import java.time.Duration;

/** The next step after a failure. */
public final class Recovery implements Serializable {
    private static final long serialVersionUID = 1;

    /** The steps. */
    public enum Step {
        /** Ask again. */
        RETRY("retry"),
        /** Wait for {@link Recovery#time}, and ask again. */
        WAIT("wait"),
        /** Ask {@link Recovery#rung} instead. */
        FALL_BACK("fallBack"),
        /**
         * The old key is gone for good. An account: sign in once and enrol again. A vault: {@link Vault#delete}, and the next
         * unlock makes a new one.
         */
        RE_ENROL("reEnrol"),
        /** The person has to allow something, or set up the sensor, in the system's settings. */
        OPEN_SETTINGS("openSettings"),
        /** The person has to set a screen lock in the system's settings. */
        SET_PASSCODE("setPasscode"),
        /** The person has to sign in with the account. */
        SIGN_IN_AGAIN("signInAgain"),
        /** The person can do nothing: tell the developers. */
        REPORT("report");

        /** The name in the library's documentation and in logs. */
        public final String code;

        Step(String code) {
            this.code = code;
        }

        private static Step named(String code) {
            for (Step step : values()) {
                if (step.code.equals(code)) {
                    return step;
                }
            }
            throw new IllegalArgumentException("there is no step " + code);
        }
    }

    /** The step. */
    public final Step step;

    /** The rung to ask instead; null for the other steps. */
    @Nullable public final Rung rung;

    /** How long to wait; null for the other steps. */
    @Nullable public final Duration time;

    private Recovery(Message.Reader fields) {
        step = Step.named(fields.text());
        String code = fields.textOrNull();
        rung = code == null ? null : Rung.named(code);
        Long milliseconds = fields.numberOrNull();
        time = milliseconds == null ? null : Duration.ofMillis(milliseconds);
    }

    static Recovery read(Message.Reader fields) {
        return new Recovery(fields);
    }

    @Override
    public String toString() {
        return step.code + (rung == null ? "" : " " + rung.code) + (time == null ? "" : " " + time);
    }
}
