package com.thumbturn;

import com.thumbturn.internal.Bridge;
import com.thumbturn.internal.Message;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * A call of Swift as a future. Cancelling it cancels the operation: a prompt or screen that it shows is dismissed.
 *
 * <p>It completes on the executor, so no thread of Swift's runs the app's code.
 */
final class Call<T> extends CompletableFuture<T> {
    private static final int CANCEL = 1;

    private final Executor executor;
    private final Function<Message.Reader, T> result;
    private final BiConsumer<Call<T>, Message.Reader> news;
    private long id;
    private boolean stopped;

    private Call(Executor executor, Function<Message.Reader, T> result, BiConsumer<Call<T>, Message.Reader> news) {
        this.executor = executor;
        this.result = result;
        this.news = news;
    }

    /** Calls an operation whose request does not begin with a handle. */
    static <T> Call<T> of(Executor executor, int operation, Message.Writer request, Function<Message.Reader, T> result) {
        Call<T> call = new Call<>(executor, result, (self, fields) -> {});
        call.begin(operation, request);
        return call;
    }

    /** Calls an operation of what was opened, once it is open. */
    static <T> Call<T> on(
            Handle handle, int operation, Message.Writer request, Function<Message.Reader, T> result,
            BiConsumer<Call<T>, Message.Reader> news) {
        Call<T> call = new Call<>(handle.executor, result, news);
        handle.number().whenComplete((number, thrown) -> {
            if (thrown == null) {
                call.begin(operation, new Message.Writer().number(number).fields(request));
            } else {
                call.executor.execute(() -> call.completeExceptionally(Handle.cause(thrown)));
            }
        });
        return call;
    }

    /** Ends the operation in Swift without completing the future: the last answer does. */
    void stop() {
        long running;
        synchronized (this) {
            running = stopped ? 0 : id;
            stopped = true;
        }
        if (running != 0) {
            Bridge.call(CANCEL, new Message.Writer().number(running).toBytes(), (kind, fields) -> {});
        }
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        boolean cancelled = super.cancel(mayInterrupt);
        if (cancelled) {
            stop();
        }
        return cancelled;
    }

    private synchronized void begin(int operation, Message.Writer request) {
        if (!stopped) {
            id = Bridge.call(operation, request.toBytes(), this::received);
        }
    }

    private void received(int kind, Message.Reader fields) {
        executor.execute(() -> {
            // The app has cancelled or completed the future: none of the call's code runs any more, and the operation ends.
            if (isDone()) {
                if (kind == Bridge.NEWS) {
                    stop();
                }
                return;
            }
            try {
                switch (kind) {
                    case Bridge.NEWS -> news.accept(this, fields);
                    case Bridge.DONE -> {
                        T value = result.apply(fields);
                        fields.end();
                        complete(value);
                    }
                    default -> completeExceptionally(Failure.read(fields));
                }
            } catch (Throwable thrown) {
                completeExceptionally(thrown);
                if (kind == Bridge.NEWS) {
                    stop();
                }
            }
        });
    }
}
