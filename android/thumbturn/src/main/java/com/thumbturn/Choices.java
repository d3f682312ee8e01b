package com.thumbturn;

import static java.util.Objects.requireNonNull;

import androidx.annotation.Nullable;
import com.thumbturn.internal.Message;
import java.util.concurrent.CompletableFuture;

/** What the person of an account or a vault chose about its rungs. */
final class Choices {
    private static final int DECLINE_BIOMETRICS = 45;
    private static final int REQUIRE_STRONGER_RUNG = 46;
    private static final int PREFER = 47;
    private static final int SHOULD_OFFER_BIOMETRICS = 48;
    private static final int ANSWER_BIOMETRIC_OFFER = 49;

    private Choices() {}

    static CompletableFuture<Void> decline(Handle handle) {
        return handle.call(DECLINE_BIOMETRICS, new Message.Writer());
    }

    static CompletableFuture<Void> requireStrongerRung(Handle handle) {
        return handle.call(REQUIRE_STRONGER_RUNG, new Message.Writer());
    }

    static CompletableFuture<Void> prefer(Handle handle, @Nullable Rung rung) {
        return handle.call(PREFER, new Message.Writer().text(rung == null ? null : rung.code));
    }

    static CompletableFuture<Boolean> shouldOffer(Handle handle) {
        return handle.call(
                SHOULD_OFFER_BIOMETRICS, new Message.Writer().text(Policy.UNLOCK.name), Message.Reader::flag);
    }

    static CompletableFuture<Void> answer(Handle handle, OfferAnswer answer) {
        return handle.call(ANSWER_BIOMETRIC_OFFER, new Message.Writer().text(requireNonNull(answer, "answer").name));
    }
}
