package com.thumbturn;

import static java.util.Objects.requireNonNull;

import androidx.annotation.Nullable;
import com.thumbturn.internal.Bridge;
import com.thumbturn.internal.Message;
import java.util.ArrayList;
import java.util.List;
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
    private static final int USE_ANOTHER_WAY = 11;
    private static final int PROMPT_NOW = 12;

    private final Executor executor;

    /** The account or the vault that was called; null for an opening. */
    @Nullable private final Handle handle;

    private final Function<Message.Reader, T> result;
    private final BiConsumer<Call<T>, Message.Reader> news;
    private long id;

    /** What the person chose before the call began. */
    private final List<Integer> early = new ArrayList<>();

    /** Whether there is nothing to cancel in Swift any more. */
    private boolean stopped;

    private Call(
            Executor executor, @Nullable Handle handle, Function<Message.Reader, T> result,
            BiConsumer<Call<T>, Message.Reader> news) {
        this.executor = executor;
        this.handle = handle;
        this.result = result;
        this.news = news;
    }

    /** Calls an operation whose request does not begin with a handle, and which may be called with it again. */
    static <T> Call<T> of(Executor executor, int operation, Message.Writer request, Function<Message.Reader, T> result) {
        Call<T> call = new Call<>(executor, null, result, (self, fields) -> {});
        call.whenComplete((value, thrown) -> call.stop());
        call.begin(operation, new Message.Writer().fields(request));
        return call;
    }

    /** Calls an operation of what was opened, once it is open. The request is wiped. */
    static <T> Call<T> on(
            Handle handle, int operation, Message.Writer request, Function<Message.Reader, T> result,
            BiConsumer<Call<T>, Message.Reader> news) {
        Call<T> call = new Call<>(handle.executor, handle, result, news);
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
    static <T> Call<T> refused(Handle handle, Throwable thrown) {
        Call<T> call = new Call<>(handle.executor, handle, fields -> null, (self, fields) -> {});
        handle.executor.execute(() -> call.completeExceptionally(thrown));
        return call;
    }

    /** Moves a call of the handle to its next rung, because the person chose another way. */
    static void useAnotherWay(Handle handle, CompletableFuture<?> future) {
        of(handle, future).choose(USE_ANOTHER_WAY);
    }

    /** Shows the prompt of a call of the handle now, if the call waits for a tap. */
    static void prompt(Handle handle, CompletableFuture<?> future) {
        of(handle, future).choose(PROMPT_NOW);
    }

    /** The call that a future is. */
    private static Call<?> of(Handle handle, CompletableFuture<?> future) {
        if (requireNonNull(future, "call") instanceof Call<?> call && call.handle == handle) {
            return call;
        }
        throw new IllegalArgumentException(
                "the future is not a call of " + handle.name
                        + ": pass one that its methods returned, not one that was made from it, for example by thenApply");
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

    /** Tells Swift what the person chose, once the call has begun. After its end it tells nothing. */
    private synchronized void choose(int choice) {
        if (stopped) {
            return;
        }
        if (id == 0) {
            early.add(choice);
        } else {
            Bridge.call(choice, new Message.Writer().number(id), (kind, fields) -> {});
        }
    }

    private synchronized void begin(int operation, Message.Writer request) {
        if (stopped) {
            request.wipe();
        } else {
            id = Bridge.call(operation, request, this::received);
            early.forEach(this::choose);
            early.clear();
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
