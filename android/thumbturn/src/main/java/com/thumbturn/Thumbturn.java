package com.thumbturn;

import android.content.Context;
import androidx.annotation.Nullable;
import com.thumbturn.internal.Bridge;
import com.thumbturn.internal.Message;
import com.thumbturn.internal.Screens;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * The phone: its sensor, keys, storage and network. This is where an app begins, once in each process.
 *
 * <p>Futures complete on the main thread, and listeners are called there. So never wait for one on the main thread.
 */
public final class Thumbturn implements AutoCloseable {
    private static final int OPEN_DEVICE = 3;
    private static final int OPEN_AUTHENTICATOR = 4;
    private static final int OPEN_VAULT = 5;
    private static final int NEWS = 6;

    private final Handle device;
    private final long pinScreen;

    private Thumbturn(Executor executor, Options options) {
        pinScreen = options.pinEntry == null ? 0 : Screen.add(options.pinEntry);
        device = Handle.of(
                executor, OPEN_DEVICE,
                new Message.Writer().text(options.title).flag(options.confirmsFaces).number(pinScreen));
    }

    /** Loads the library and takes the app's context, which may be that of an activity. */
    public static Thumbturn open(Context context, Options options) {
        Bridge.start(context);
        return new Thumbturn(context.getMainExecutor(), options);
    }

    /** An authenticator of one account named {@code default}, with no resources and no sign-in of its own. */
    public Authenticator authenticator(String server) {
        return authenticator(server, Authenticator.Options.DEFAULT);
    }

    /** Signs a person in at one server: an https address, or any request fails with {@link Failure#INSECURE_SERVER}. */
    public Authenticator authenticator(String server, Authenticator.Options options) {
        long screen = options.signIn == null ? 0 : Screen.add(options.signIn);
        Message.Writer request = new Message.Writer().text(server).text(options.account);
        request.list(options.resources, Message.Writer::text).flag(options.storesSessions).number(screen);
        return new Authenticator(device.opening(OPEN_AUTHENTICATOR, request), screen);
    }

    /** A vault of this name, whether it was made before or not. The first unlock makes it. */
    public Vault vault(String name, Vault.Access access, Policy policy) {
        Message.Writer request = new Message.Writer().text(name).text(access.name).text(policy.name);
        return new Vault(device.opening(OPEN_VAULT, request));
    }

    /** Ends the use of the phone. Authenticators and vaults of it that are open go on until they are closed. */
    @Override
    public void close() {
        device.close();
        Screens.remove(pinScreen);
    }

    /** Hears the news of an authenticator or a vault. */
    static Subscription news(Handle asker, Consumer<News> listener) {
        CompletableFuture<Void> call = asker.call(
                NEWS, new Message.Writer(), fields -> null, (self, fields) -> listener.accept(News.read(fields)));
        return () -> call.cancel(false);
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
            return new Options(title, confirmsFaces, pinEntry);
        }

        /** The same with the choice whether a face has to be confirmed by a tap. */
        public Options confirmsFaces(boolean confirmsFaces) {
            return new Options(title, confirmsFaces, pinEntry);
        }

        /** The same with the app's own PIN screen. Without it no policy asks for a PIN. */
        public Options pinEntry(PinEntry pinEntry) {
            return new Options(title, confirmsFaces, pinEntry);
        }
    }

    /** An unmodifiable set with one more element. */
    static Set<String> with(Set<String> set, String element) {
        Set<String> more = new LinkedHashSet<>(set);
        more.add(element);
        return Collections.unmodifiableSet(more);
    }
}
