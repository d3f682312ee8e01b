package com.thumbturn;

import static java.util.Objects.requireNonNull;

import android.content.Context;
import androidx.annotation.Nullable;
import com.thumbturn.internal.Bridge;
import com.thumbturn.internal.Message;
import com.thumbturn.internal.Screens;
import com.thumbturn.internal.SettingsScreen;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * The phone: its sensor, keys, storage and network. This is where an app begins, once in each process.
 *
 * <p>Futures complete on the main thread, and listeners are called there. So never wait for one on the main thread. Texts for the
 * person are in the app's language as it was at the first call. A null where none is allowed is a {@link NullPointerException}
 * with the parameter's name.
 */
public final class Thumbturn implements AutoCloseable {
    private static final int OPEN_DEVICE = 3;
    private static final int OPEN_AUTHENTICATOR = 4;
    private static final int OPEN_VAULT = 5;
    private static final int NEWS = 6;
    private static final int DIAGNOSTICS = 42;

    private final Handle device;

    private Thumbturn(Executor executor, Options options) {
        long pinScreen = options.pinEntry == null ? 0 : Screen.add(options.pinEntry);
        device = Handle.of(
                executor, "the phone", OPEN_DEVICE,
                new Message.Writer().text(options.title).flag(options.confirmsFaces).number(pinScreen),
                () -> Screens.remove(pinScreen));
    }

    /** Loads the library and takes the app's context, which may be that of an activity. */
    public static Thumbturn open(Context context, Options options) {
        requireNonNull(options, "options");
        Bridge.start(requireNonNull(context, "context"));
        return new Thumbturn(context.getMainExecutor(), options);
    }

    /** An authenticator of one account named {@code default}, with no resources and no sign-in of its own. */
    public Authenticator authenticator(String server) {
        return authenticator(server, Authenticator.Options.DEFAULT);
    }

    /** Signs a person in at one server: an https address, or any request fails with {@link Failure#INSECURE_SERVER}. */
    public Authenticator authenticator(String server, Authenticator.Options options) {
        Message.Writer request = new Message.Writer().text(requireNonNull(server, "server"));
        request.text(requireNonNull(options, "options").account);
        long screen = options.signIn == null ? 0 : Screen.add(options.signIn);
        request.list(options.resources, Message.Writer::text).flag(options.storesSessions).number(screen);
        return new Authenticator(device.opening(
                "the authenticator", OPEN_AUTHENTICATOR, request, () -> Screens.remove(screen)));
    }

    /** A vault of this name, whether it was made before or not. The first unlock makes it. */
    public Vault vault(String name, Vault.Access access, Policy policy) {
        Message.Writer request = new Message.Writer().text(requireNonNull(name, "name"));
        request.text(requireNonNull(access, "access").name).text(requireNonNull(policy, "policy").name);
        return new Vault(device.opening("the vault", OPEN_VAULT, request, () -> {}));
    }

    /**
     * The facts on which prompts and keys depend, one on a line, in English for developers and bug reports: the system, the sensor,
     * the screen lock, and where the keys live that were made since the process began. They contain no secret. Silent.
     */
    public CompletableFuture<String> diagnostics() {
        return device.call(DIAGNOSTICS, new Message.Writer(), Message.Reader::text);
    }

    /**
     * Ends the use of the phone: no authenticator or vault can be made on it any more. Those that were made go on, the PIN screen
     * with them, until they are closed.
     */
    @Override
    public void close() {
        device.close();
    }

    /** Hears the news of an authenticator or a vault. */
    static Subscription news(Handle asker, Consumer<News> listener) {
        requireNonNull(listener, "listener");
        CompletableFuture<Void> call = asker.call(
                NEWS, new Message.Writer(), fields -> null, (self, fields) -> listener.accept(News.read(fields)));
        CompletableFuture<Void> ended = new CompletableFuture<>();
        call.whenComplete((nothing, thrown) -> {
            if (thrown == null || thrown instanceof CancellationException) {
                ended.complete(null);
            } else {
                ended.completeExceptionally(Handle.cause(thrown));
            }
        });
        return new Subscription() {
            @Override
            public CompletableFuture<Void> ended() {
                return ended;
            }

            @Override
            public void close() {
                call.cancel(false);
            }
        };
    }

    /**
     * Opens the system's settings that a failure's step leads to, {@link Recovery.Step#OPEN_SETTINGS} or
     * {@link Recovery.Step#SET_PASSCODE}: where a face or finger is enrolled if that is what is missing, otherwise the security
     * settings. False for another step, and for a phone without such a screen. Only while the app is in front.
     */
    public static boolean openSettings(Context context, Failure failure) {
        requireNonNull(context, "context");
        return switch (requireNonNull(failure, "failure").recovery.step) {
            case OPEN_SETTINGS, SET_PASSCODE ->
                    failure.has(Failure.BIOMETRY_NOT_ENROLLED) && SettingsScreen.openEnrolment(context)
                            || SettingsScreen.openSecurity(context);
            default -> false;
        };
    }

    /** What an app says about its prompts and screens. */
    public static final class Options {
        /** No title, no PIN; a face is confirmed by a tap. */
        public static final Options DEFAULT = new Options(null, true, null);

        @Nullable final String title;
        final boolean confirmsFaces;
        @Nullable final PinEntry pinEntry;

        private Options(@Nullable String title, boolean confirmsFaces, @Nullable PinEntry pinEntry) {
            this.title = title;
            this.confirmsFaces = confirmsFaces;
            this.pinEntry = pinEntry;
        }

        /** The same with the first line of every prompt, such as the app's name; without it that is the reason. */
        public Options title(String title) {
            return new Options(requireNonNull(title, "title"), confirmsFaces, pinEntry);
        }

        /** The same with the choice whether a face has to be confirmed by a tap. */
        public Options confirmsFaces(boolean confirmsFaces) {
            return new Options(title, confirmsFaces, pinEntry);
        }

        /** The same with the app's own PIN screen. Without it no policy asks for a PIN. */
        public Options pinEntry(PinEntry pinEntry) {
            return new Options(title, confirmsFaces, requireNonNull(pinEntry, "pinEntry"));
        }
    }

    /** An unmodifiable set with one more element. */
    static Set<String> with(Set<String> set, String element) {
        Set<String> more = new LinkedHashSet<>(set);
        more.add(element);
        return Collections.unmodifiableSet(more);
    }
}
