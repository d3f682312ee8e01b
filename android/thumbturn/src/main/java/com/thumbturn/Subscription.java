package com.thumbturn;

/** A listener that hears news until it is closed. */
public interface Subscription extends AutoCloseable {
    /** Ends the listening. */
    @Override
    void close();
}
