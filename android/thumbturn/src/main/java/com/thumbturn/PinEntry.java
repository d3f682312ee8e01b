package com.thumbturn;

import java.util.concurrent.CompletableFuture;

/**
 * The app's own PIN screen. It collects 6 to 32 digits and does not judge them. Both methods are called on the main thread.
 *
 * <p>Complete the future with the digits, which are wiped in the array once they were handed over, or with null where the
 * person cancelled. A future that is cancelled means that the screen has to go: dismiss it in {@code whenComplete}.
 */
public interface PinEntry {
    /** Asks for the PIN. */
    CompletableFuture<char[]> enter(PinRequest request);

    /** Asks for a new PIN. The screen decides whether the person types it twice. */
    CompletableFuture<char[]> choose();
}
