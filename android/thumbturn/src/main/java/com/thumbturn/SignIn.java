package com.thumbturn;

import java.util.concurrent.CompletableFuture;

/** The app's own login: the full sign-in. */
public interface SignIn {
    /**
     * Asks the person for their credentials, or returns those that they have typed. On the main thread.
     *
     * <p>Complete the future with null where the person cancelled. A future that is cancelled means that the screen has to
     * go: dismiss it in {@code whenComplete}.
     */
    CompletableFuture<Credentials> credentials(SignInRequest request);
}
