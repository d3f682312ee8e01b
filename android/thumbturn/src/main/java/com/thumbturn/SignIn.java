package com.thumbturn;

import java.util.concurrent.CompletableFuture;

/** The app's own login: the full sign-in. */
public interface SignIn {
    /**
     * Asks the person for their credentials, or returns those that they have typed. On the main thread.
     *
     * <p>Complete the future with null where the person cancelled. A future that is cancelled means that the screen has to
     * go: dismiss it in {@code whenComplete}.
     *
     * <p>The library copies the credentials and leaves the app's as they are: {@link Credentials#wipe} those once the call that
     * asked for them has ended. Wiped before they were copied, they fail that call.
     */
    CompletableFuture<Credentials> credentials(SignInRequest request);
}
