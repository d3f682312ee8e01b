package com.thumbturn.internal;

import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The screens of the app that Swift asks for: its PIN, and its full sign-in. */
public final class Screens {
    /** Asks for the PIN. */
    public static final int ENTER_PIN = 21;
    /** Asks for a new PIN. */
    public static final int CHOOSE_PIN = 22;
    /** Asks for the account's credentials. */
    public static final int CREDENTIALS = 23;

    private static final int GIVEN = 1;
    private static final int CANCELLED = 2;

    private static final Map<Long, Screen> ADDED = new ConcurrentHashMap<>();
    private static final AtomicLong LAST = new AtomicLong();

    private final Map<Long, CompletableFuture<Message.Writer>> shown = new ConcurrentHashMap<>();

    Screens() {}

    /** A screen of the app. */
    public interface Screen {
        /**
         * Shows the screen, on the main thread. The future has the fields of the answer, which are wiped, or null where the
         * person cancelled; cancelling the future dismisses the screen.
         */
        CompletableFuture<Message.Writer> show(int operation, Message.Reader request);
    }

    /** Adds a screen; returns the number that Swift asks for it by. */
    public static long add(Screen screen) {
        long number = LAST.incrementAndGet();
        ADDED.put(number, screen);
        return number;
    }

    /** Removes a screen; one that is shown stays. */
    public static void remove(long number) {
        ADDED.remove(number);
    }

    /** Shows a screen and answers what became of it. On the main thread. */
    void show(long number, int operation, Message.Reader request, Answer answer) {
        try {
            Screen screen = ADDED.get(number);
            if (screen == null) {
                throw new IllegalStateException("the app has no screen of this number");
            }
            CompletableFuture<Message.Writer> future = screen.show(operation, request);
            shown.put(answer.id(), future);
            future.whenComplete((fields, thrown) -> {
                shown.remove(answer.id());
                answer(fields, thrown, answer);
            });
        } catch (Throwable thrown) {
            answer.threw(thrown);
        }
    }

    /** Dismisses the screen of an operation; for any other id it does nothing. On the main thread. */
    void dismiss(long id) {
        CompletableFuture<Message.Writer> future = shown.get(id);
        if (future != null) {
            future.cancel(false);
        }
    }

    private static void answer(@Nullable Message.Writer fields, @Nullable Throwable thrown, Answer answer) {
        Throwable cause = thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (fields != null) {
            answer.done(new Message.Writer().number(GIVEN).fields(fields));
            fields.wipe();
        } else if (cause == null || cause instanceof CancellationException) {
            answer.done(new Message.Writer().number(CANCELLED));
        } else {
            answer.threw(cause);
        }
    }
}
