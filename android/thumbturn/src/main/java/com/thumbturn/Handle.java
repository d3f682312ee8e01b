package com.thumbturn;

import androidx.annotation.Nullable;
import com.thumbturn.internal.Bridge;
import com.thumbturn.internal.Message;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Something that Swift has opened for the app. It is opened at its first use, and again where that failed.
 *
 * <p>What was opened on it keeps it alive: Swift forgets it when it and all of those are closed.
 */
final class Handle {
    private static final int CLOSE = 2;

    /** The app's code runs here. */
    final Executor executor;

    /** What it is, for the exceptions that refuse its use. */
    final String name;

    private final Supplier<CompletableFuture<Long>> open;

    /** Whether Swift answers its calls also after its end, and says why it refuses them. */
    private final boolean outlivesClosing;

    /** Runs when Swift has been told to forget it. */
    private final Runnable ended;

    @Nullable private CompletableFuture<Long> opened;
    private boolean closed;

    /** The app, until it has closed this, and everything that was opened on this and is not closed. */
    private int users = 1;

    private Handle(
            Executor executor, String name, boolean outlivesClosing, Supplier<CompletableFuture<Long>> open, Runnable ended) {
        this.executor = executor;
        this.name = name;
        this.outlivesClosing = outlivesClosing;
        this.open = open;
        this.ended = ended;
    }

    /** Something that is opened by itself. */
    static Handle of(Executor executor, String name, int operation, Message.Writer request, Runnable ended) {
        return new Handle(
                executor, name, false, () -> Call.of(Runnable::run, operation, request, Message.Reader::number), ended);
    }

    /** Something that is opened on this, and keeps it alive. On one that is closed nothing can be opened. */
    Handle opening(String name, int operation, Message.Writer request, Runnable ended) {
        if (!addUser()) {
            return new Handle(executor, name, false, this::refusal, ended);
        }
        return new Handle(
                executor, name, false,
                () -> living().thenCompose(number -> Call.of(
                        Runnable::run, operation, new Message.Writer().number(number).fields(request), Message.Reader::number)),
                () -> {
                    ended.run();
                    removeUser();
                });
    }

    /** A vault that is open, as Swift named it. */
    static Handle ofOpenVault(Executor executor, long number) {
        Handle handle = new Handle(
                executor, "the open vault", true, () -> CompletableFuture.completedFuture(number), () -> {});
        handle.number();
        return handle;
    }

    /** The number by which Swift knows it. */
    synchronized CompletableFuture<Long> number() {
        return closed && !outlivesClosing ? refusal() : living();
    }

    /** The number by which Swift knows it, also where the app has closed it and another still uses it. */
    private synchronized CompletableFuture<Long> living() {
        if (opened == null || opened.isCompletedExceptionally()) {
            opened = open.get();
        }
        return opened;
    }

    private CompletableFuture<Long> refusal() {
        CompletableFuture<Long> refusal = new CompletableFuture<>();
        refusal.completeExceptionally(new IllegalStateException(name + " was closed"));
        return refusal;
    }

    <T> Call<T> call(int operation, Message.Writer request, Function<Message.Reader, T> result) {
        return Call.on(this, operation, request, result, (self, fields) -> {});
    }

    <T> Call<T> call(
            int operation, Message.Writer request, Function<Message.Reader, T> result,
            BiConsumer<Call<T>, Message.Reader> news) {
        return Call.on(this, operation, request, result, news);
    }

    Call<Void> call(int operation, Message.Writer request) {
        return call(operation, request, fields -> null);
    }

    /** Ends the app's use of it. Swift forgets it with its last use. */
    void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        removeUser();
    }

    private synchronized boolean addUser() {
        if (closed) {
            return false;
        }
        users++;
        return true;
    }

    private void removeUser() {
        CompletableFuture<Long> last;
        synchronized (this) {
            users--;
            if (users > 0) {
                return;
            }
            last = opened == null ? CompletableFuture.completedFuture(null) : opened;
        }
        last.whenComplete((number, thrown) -> {
            if (number != null) {
                Bridge.call(CLOSE, new Message.Writer().number(number), (kind, fields) -> {});
            }
            ended.run();
        });
    }

    /** What was thrown, without the wrapping of futures. */
    static Throwable cause(Throwable thrown) {
        Throwable cause = thrown;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException) && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
