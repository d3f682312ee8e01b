package com.thumbturn;

import java.util.concurrent.CompletableFuture;

/** A listener that hears news until it is closed, or until it can hear no more. */
public interface Subscription extends AutoCloseable {
    /**
     * Ends when no more news come: by itself after {@link #close}, with a {@link Failure} where the phone or the account could not
     * be opened, and with what the listener threw. It ends on the main thread, where listeners are called; ending it from
     * outside ends no listening.
     */
    CompletableFuture<Void> ended();

    /** Ends the listening. */
    @Override
    void close();
}
