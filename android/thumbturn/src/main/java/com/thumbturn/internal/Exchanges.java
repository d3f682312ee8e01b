package com.thumbturn.internal;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;

/** Runs HTTP exchanges, ends them at their deadline, and cancels them. */
final class Exchanges {
    private final Workers workers;
    private final Map<Long, Runnable> cancels = new ConcurrentHashMap<>();

    Exchanges(Workers workers) {
        this.workers = workers;
    }

    /** The time runs from now on, also while other exchanges hold all threads. */
    void begin(HttpRequest request, Answer answer) {
        Exchange exchange = new Exchange(request);
        cancels.put(answer.id(), () -> stop(exchange, answer, new InterruptedIOException("cancelled")));
        Future<?> deadline = workers.after(
                request.timeout,
                () -> stop(exchange, answer, new SocketTimeoutException("the exchange took longer than allowed")));
        workers.network.execute(() -> {
            try {
                answer.done(exchange.run());
            } catch (Throwable thrown) {
                answer.threw(thrown);
            } finally {
                request.wipe();
                deadline.cancel(false);
                cancels.remove(answer.id());
            }
        });
    }

    /** Stops the exchange, which is then answered; for any other id it does nothing. */
    void cancel(long id) {
        Runnable cancel = cancels.get(id);
        if (cancel != null) {
            // Closing a connection may itself use the network, which the thread that cancels must not wait for.
            workers.after(0, cancel);
        }
    }

    /** Answers first: a disconnect that meets the connection between two steps can be without effect. */
    private static void stop(Exchange exchange, Answer answer, IOException reason) {
        answer.threw(reason);
        exchange.stop();
    }
}
