package com.thumbturn.internal;

import java.io.InterruptedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Runs HTTP exchanges, and cancels them. The library cancels an exchange at its deadline. */
final class Exchanges {
    private final Workers workers;
    private final Map<Long, Runnable> cancels = new ConcurrentHashMap<>();

    Exchanges(Workers workers) {
        this.workers = workers;
    }

    void begin(HttpRequest request, Answer answer) {
        Exchange exchange = new Exchange(request);
        cancels.put(answer.id(), () -> stop(exchange, answer));
        workers.network.execute(() -> {
            try {
                answer.done(exchange.run());
            } catch (Throwable thrown) {
                answer.threw(thrown);
            } finally {
                request.wipe();
                cancels.remove(answer.id());
            }
        });
    }

    /** Stops the exchange, which is then answered; for any other id it does nothing. */
    void cancel(long id) {
        Runnable cancel = cancels.get(id);
        if (cancel != null) {
            workers.closing.execute(cancel);
        }
    }

    /** Answers first: a disconnect that meets the connection between two steps can be without effect. */
    private static void stop(Exchange exchange, Answer answer) {
        answer.threw(new InterruptedIOException("cancelled"));
        exchange.stop();
    }
}
