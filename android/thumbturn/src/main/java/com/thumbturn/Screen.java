package com.thumbturn;

import com.thumbturn.internal.Message;
import com.thumbturn.internal.Screens;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The app's screens as Swift asks for them. */
final class Screen {
    private Screen() {}

    /** Adds the PIN screen; returns its number. */
    static long add(PinEntry entry) {
        return Screens.add((operation, request) -> {
            PinRequest shown = operation == Screens.ENTER_PIN ? new PinRequest(request) : null;
            request.end();
            return passing(shown == null ? entry.choose() : entry.enter(shown), Screen::field);
        });
    }

    /** Adds the full sign-in; returns its number. */
    static long add(SignIn signIn) {
        return Screens.add((operation, request) -> {
            SignInRequest shown = new SignInRequest(request);
            request.end();
            return passing(signIn.credentials(shown), given -> given.write(new Message.Writer()));
        });
    }

    /** A future of what the app's has; cancelling it cancels the app's. */
    private static <T> CompletableFuture<Message.Writer> passing(
            CompletableFuture<T> answer, Function<T, Message.Writer> fields) {
        CompletableFuture<Message.Writer> passed = new CompletableFuture<Message.Writer>() {
            @Override
            public boolean cancel(boolean mayInterrupt) {
                answer.cancel(mayInterrupt);
                return super.cancel(mayInterrupt);
            }
        };
        answer.whenComplete((value, thrown) -> {
            try {
                if (thrown != null) {
                    passed.completeExceptionally(Handle.cause(thrown));
                } else {
                    Message.Writer written = value == null ? null : fields.apply(value);
                    // Cancelled meanwhile: nothing takes the fields, so nothing else wipes them.
                    if (!passed.complete(written) && written != null) {
                        written.wipe();
                    }
                }
            } catch (RuntimeException refused) {
                passed.completeExceptionally(refused);
            }
        });
        return passed;
    }

    /** The digits as a field of a message. The given array is wiped; Swift refuses what is no PIN. */
    private static Message.Writer field(char[] digits) {
        try {
            return new Message.Writer().characters(digits);
        } finally {
            Arrays.fill(digits, '\0');
        }
    }
}
