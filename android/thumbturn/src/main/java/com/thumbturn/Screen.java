package com.thumbturn;

import com.thumbturn.internal.Message;
import com.thumbturn.internal.Screens;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The app's screens as Swift asks for them. */
final class Screen {
    private static final int SHORTEST_PIN = 6;
    private static final int LONGEST_PIN = 32;

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
            return passing(signIn.credentials(shown), Credentials::toBytes);
        });
    }

    /** A future of what the app's has; cancelling it cancels the app's. */
    private static <T> CompletableFuture<byte[]> passing(CompletableFuture<T> answer, Function<T, byte[]> fields) {
        CompletableFuture<byte[]> passed = new CompletableFuture<byte[]>() {
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
                    byte[] bytes = value == null ? null : fields.apply(value);
                    // Cancelled meanwhile: nothing takes the bytes, so nothing else wipes them.
                    if (!passed.complete(bytes) && bytes != null) {
                        Arrays.fill(bytes, (byte) 0);
                    }
                }
            } catch (RuntimeException refused) {
                passed.completeExceptionally(refused);
            }
        });
        return passed;
    }

    /** The digits as a field of a message, made in one array. The given array is wiped. */
    private static byte[] field(char[] digits) {
        try {
            if (digits.length < SHORTEST_PIN || digits.length > LONGEST_PIN) {
                throw new IllegalArgumentException("a PIN has 6 to 32 digits");
            }
            byte[] field = new byte[Integer.BYTES + digits.length];
            ByteBuffer.wrap(field).putInt(digits.length);
            for (int index = 0; index < digits.length; index++) {
                if (digits[index] < '0' || digits[index] > '9') {
                    Arrays.fill(field, (byte) 0);
                    throw new IllegalArgumentException("a PIN has digits only");
                }
                field[Integer.BYTES + index] = (byte) digits[index];
            }
            return field;
        } finally {
            Arrays.fill(digits, '\0');
        }
    }
}
