package com.thumbturn;

import androidx.annotation.Nullable;
import com.thumbturn.internal.Bridge;
import com.thumbturn.internal.Message;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Something that Swift has opened for the app. It is opened at its first use, and again where that failed. */
final class Handle {
    private static final int CLOSE = 2;

    /** The app's code runs here. */
    final Executor executor;

    private final Supplier<CompletableFuture<Long>> open;

    /** Whether Swift answers its calls also after its end, and says why it refuses them. */
    private final boolean outlivesClosing;

    @Nullable private CompletableFuture<Long> opened;
    private boolean closed;

    private Handle(Executor executor, boolean outlivesClosing, Supplier<CompletableFuture<Long>> open) {
        this.executor = executor;
        this.outlivesClosing = outlivesClosing;
        this.open = open;
    }

    /** Something that is opened by itself. */
    static Handle of(Executor executor, int operation, Message.Writer request) {
        return new Handle(executor, false, () -> Call.of(Runnable::run, operation, request, Message.Reader::number));
    }

    /** Something that is opened on this. */
    Handle opening(int operation, Message.Writer request) {
        return new Handle(executor, false, () -> number().thenCompose(number -> Call.of(
                Runnable::run, operation, new Message.Writer().number(number).fields(request), Message.Reader::number)));
    }

    /** A vault that is open, as Swift named it. */
    static Handle ofOpenVault(Executor executor, long number) {
        Handle handle = new Handle(executor, true, () -> CompletableFuture.completedFuture(number));
        handle.number();
        return handle;
    }

    /** The number by which Swift knows it. */
    synchronized CompletableFuture<Long> number() {
        if (closed && !outlivesClosing) {
            CompletableFuture<Long> refusal = new CompletableFuture<>();
            refusal.completeExceptionally(new IllegalStateException("it was closed"));
            return refusal;
        }
        if (opened == null || opened.isCompletedExceptionally()) {
            opened = open.get();
        }
        return opened;
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

    /** Has Swift forget it. */
    synchronized void close() {
        if (!closed && opened != null) {
            opened.thenAccept(number -> Bridge.call(CLOSE, new Message.Writer().number(number), (kind, fields) -> {}));
        }
        closed = true;
    }

    /** What was thrown, without the wrapping of futures. */
    static Throwable cause(Throwable thrown) {
        return thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
    }
}
