package com.thumbturn;

import com.thumbturn.internal.Bridge;
import com.thumbturn.internal.Message;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * A call of Swift as a future. However the app ends it, by cancelling it, by a time limit or by a value of its own, the operation
 * ends, too: a prompt or screen that it shows is dismissed. A time limit by {@code orTimeout} needs API 31.
 *
 * <p>It completes on the executor, so no thread of Swift's runs the app's code.
 */
final class Call<T> extends CompletableFuture<T> {
    private static final int CANCEL = 1;

    private final Executor executor;
    private final Function<Message.Reader, T> result;
    private final BiConsumer<Call<T>, Message.Reader> news;
    private long id;

    /** Whether there is nothing to cancel in Swift any more. */
    private boolean stopped;

    private Call(Executor executor, Function<Message.Reader, T> result, BiConsumer<Call<T>, Message.Reader> news) {
        this.executor = executor;
        this.result = result;
        this.news = news;
    }

    /** Calls an operation whose request does not begin with a handle, and which may be called with it again. */
    static <T> Call<T> of(Executor executor, int operation, Message.Writer request, Function<Message.Reader, T> result) {
        Call<T> call = new Call<>(executor, result, (self, fields) -> {});
        call.whenComplete((value, thrown) -> call.stop());
        call.begin(operation, new Message.Writer().fields(request));
        return call;
    }

    /** Calls an operation of what was opened, once it is open. The request is wiped. */
    static <T> Call<T> on(
            Handle handle, int operation, Message.Writer request, Function<Message.Reader, T> result,
            BiConsumer<Call<T>, Message.Reader> news) {
        Call<T> call = new Call<>(handle.executor, result, news);
        call.whenComplete((value, thrown) -> call.stop());
        handle.number().whenComplete((number, thrown) -> {
            if (thrown == null) {
                call.begin(operation, new Message.Writer().number(number).fields(request));
            } else {
                call.executor.execute(() -> call.completeExceptionally(Handle.cause(thrown)));
            }
            request.wipe();
        });
        return call;
    }

    /** A call that Swift never hears of, because what the app gave cannot be used. */
    static <T> Call<T> refused(Executor executor, Throwable thrown) {
        Call<T> call = new Call<>(executor, fields -> null, (self, fields) -> {});
        executor.execute(() -> call.completeExceptionally(thrown));
        return call;
    }

    /** Fails where the operation ends by itself. */
    void fail(Throwable thrown) {
        synchronized (this) {
            stopped = true;
        }
        completeExceptionally(thrown);
    }

    /** Cancels the operation in Swift, unless it has ended; one that has not begun never begins. */
    private void stop() {
        long running;
        synchronized (this) {
            running = stopped ? 0 : id;
            stopped = true;
        }
        if (running != 0) {
            Bridge.call(CANCEL, new Message.Writer().number(running), (kind, fields) -> {});
        }
    }

    private synchronized void begin(int operation, Message.Writer request) {
        if (stopped) {
            request.wipe();
        } else {
            id = Bridge.call(operation, request, this::received);
        }
    }

    private void received(int kind, Message.Reader fields) {
        if (kind != Bridge.NEWS) {
            synchronized (this) {
                stopped = true;
            }
        }
        executor.execute(() -> {
            try {
                // The app has ended the future: none of the call's code runs any more.
                if (!isDone()) {
                    read(kind, fields);
                }
            } catch (Throwable thrown) {
                completeExceptionally(thrown);
            } finally {
                fields.wipe();
            }
        });
    }

    private void read(int kind, Message.Reader fields) {
        switch (kind) {
            case Bridge.NEWS -> news.accept(this, fields);
            case Bridge.DONE -> {
                T value = result.apply(fields);
                fields.end();
                complete(value);
            }
            default -> completeExceptionally(Failure.read(fields));
        }
    }
}
