package com.thumbturn;

import static java.util.Objects.requireNonNull;

import androidx.annotation.Nullable;
import com.thumbturn.internal.Message;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Keeps secrets and sealed files behind the person's face, finger or passcode, on this phone and without a server.
 *
 * <p>The contents of a vault are lost with its key, so it must be possible to fetch or make them again.
 */
public final class Vault implements AutoCloseable {
    private static final int READINESS = 7;
    private static final int USE = 34;
    private static final int CONTAINS = 38;
    private static final int DELETE = 39;

    private final Handle handle;

    Vault(Handle handle) {
        this.handle = handle;
    }

    /** What can be done now. Silent: it never prompts. */
    public CompletableFuture<Readiness> readiness() {
        return handle.call(READINESS, new Message.Writer().text(Policy.UNLOCK.name), Readiness::read);
    }

    /** Opens the vault with a prompt at once. */
    public <T> CompletableFuture<T> unlocked(String reason, Function<OpenVault, ? extends CompletionStage<T>> body) {
        return unlocked(reason, Start.TAP, body);
    }

    /**
     * Opens the vault with one prompt, for as many reads and writes as the body makes, and closes it when the body's future has
     * ended. The body runs on the main thread.
     *
     * <p>The future fails with {@link Failure#KEY_INVALIDATED} where the vault is gone for good: {@link #delete} it, and the next
     * unlock makes a new one.
     */
    public <T> CompletableFuture<T> unlocked(
            String reason, Start start, Function<OpenVault, ? extends CompletionStage<T>> body) {
        requireNonNull(body, "body");
        CompletableFuture<T> outcome = new CompletableFuture<>();
        return handle.call(
                USE,
                new Message.Writer().text(requireNonNull(reason, "reason")).text(requireNonNull(start, "start").name),
                // Swift ends the call once the body has ended. Without a wait: this is the main thread.
                fields -> outcome.getNow(null),
                (call, fields) -> use(fields, body, outcome, call));
    }

    private <T> void use(
            Message.Reader fields, Function<OpenVault, ? extends CompletionStage<T>> body, CompletableFuture<T> outcome,
            Call<T> call) {
        Handle opened = Handle.ofOpenVault(handle.executor, fields.number());
        Rung rung = Rung.named(fields.text());
        fields.end();
        CompletionStage<T> ending;
        try {
            ending = body.apply(new OpenVault(opened, rung));
        } catch (Throwable thrown) {
            CompletableFuture<T> failed = new CompletableFuture<>();
            failed.completeExceptionally(thrown);
            ending = failed;
        }
        ending.whenComplete((value, thrown) -> {
            if (thrown == null) {
                outcome.complete(value);
            } else {
                outcome.completeExceptionally(Handle.cause(thrown));
                handle.executor.execute(() -> call.fail(Handle.cause(thrown)));
            }
            opened.close();
        });
    }

    /**
     * Moves an unlock to its next rung, because the person chose another way, for example by the hint. Other unlocks go on as they
     * are, except equal ones that share its prompt. An unlock that has not begun to ask moves on once it does; for one that has
     * ended nothing happens.
     *
     * @param call the future that {@link #unlocked} returned
     * @throws IllegalArgumentException if it is another future, for example one that {@code thenApply} made
     */
    public void useAnotherWay(CompletableFuture<?> call) {
        Call.useAnotherWay(handle, call);
    }

    /**
     * Shows the prompt of an unlock now, because the person tapped the screen that waits for it. It takes the same futures as
     * {@link #useAnotherWay}.
     */
    public void prompt(CompletableFuture<?> call) {
        Call.prompt(handle, call);
    }

    /** Has only the passcode open the vault, until the person wants the sensor again. Never prompts. */
    public CompletableFuture<Void> declineBiometrics() {
        return Choices.decline(handle);
    }

    /** Whether to offer biometrics for this vault now. Silent. */
    public CompletableFuture<Boolean> shouldOfferBiometrics() {
        return Choices.shouldOffer(handle);
    }

    /** Stores the person's answer to the offer. */
    public CompletableFuture<Void> answerBiometricOffer(OfferAnswer answer) {
        return Choices.answer(handle, answer);
    }

    /** Sets the rung that the person wants to be asked first; null for the order of the access. */
    public CompletableFuture<Void> prefer(@Nullable Rung rung) {
        return Choices.prefer(handle, rung);
    }

    /**
     * Switches the sensor off for this vault until the passcode has opened it. Silent; a vault that is open closes. It fails with
     * {@link Failure#POLICY_DENIES} where only the sensor opens the vault.
     */
    public CompletableFuture<Void> requireStrongerRungNextTime() {
        return Choices.requireStrongerRung(handle);
    }

    /** Whether there is a secret of this name, without a prompt. */
    public CompletableFuture<Boolean> contains(String name) {
        return handle.call(CONTAINS, new Message.Writer().text(requireNonNull(name, "name")), Message.Reader::flag);
    }

    /** Deletes the vault with all its secrets, without a prompt. Its sealed files can never be opened again. */
    public CompletableFuture<Void> delete() {
        return handle.call(DELETE, new Message.Writer());
    }

    /** Hears the news of this vault's unlocks from now on, on the main thread. {@link Subscription#ended} tells a failure. */
    public Subscription news(Consumer<News> listener) {
        return Thumbturn.news(handle, listener);
    }

    /** Forgets the vault in this process. Its contents stay. */
    @Override
    public void close() {
        handle.close();
    }

    /** The rungs that open a vault. The phone enforces it: behind each rung there is a copy of the vault's key. */
    public enum Access {
        /** The faces and fingers that are enrolled when the vault is made. Any change to them destroys the contents. */
        BIOMETRY_CURRENT_SET("biometryCurrentSet"),
        /** Any face or finger that is enrolled, also later. */
        BIOMETRY_ANY("biometryAny"),
        /** Any enrolled face or finger, or the device passcode. */
        USER_PRESENCE("userPresence"),
        /** Only the device passcode. */
        PASSCODE("passcode");

        final String name;

        Access(String name) {
            this.name = name;
        }
    }
}
