package com.thumbturn;

import static java.util.Objects.requireNonNull;

import androidx.annotation.Nullable;
import com.thumbturn.internal.Message;
import java.util.concurrent.CompletableFuture;

/**
 * The credentials of a full sign-in. They print as their type's name. Given directly, they are a {@link SignIn}.
 *
 * <p>They may be given to several calls, so the library does not wipe them: {@link #wipe} does. A call with wiped ones fails with
 * an {@link IllegalStateException} in its future.
 */
public final class Credentials implements SignIn {
    private static final int PASSWORD = 1;
    private static final int RECOVERY_CODE = 2;
    private static final int ID_TOKEN = 3;
    private static final int JSON = 4;

    private final Message.Writer fields;
    private boolean wiped;

    private Credentials(int kind, Message.Writer rest) {
        fields = new Message.Writer().number(kind).fields(rest);
        rest.wipe();
    }

    /** Name and password of an account that the server keeps itself. */
    public static Credentials password(String account, String password) {
        return password(account, password, null);
    }

    /** The same from an array, which stays the app's: no string has to hold the password. */
    public static Credentials password(String account, char[] password) {
        return password(account, password, null);
    }

    /** The same with the code of an authenticator app, where the account needs one. */
    public static Credentials password(String account, String password, @Nullable String oneTimeCode) {
        Message.Writer fields = account(account).text(requireNonNull(password, "password"));
        return new Credentials(PASSWORD, fields.text(oneTimeCode));
    }

    /** The same from an array, with the code of an authenticator app. */
    public static Credentials password(String account, char[] password, @Nullable String oneTimeCode) {
        Message.Writer fields = account(account).characters(requireNonNull(password, "password"));
        return new Credentials(PASSWORD, fields.text(oneTimeCode));
    }

    /** A recovery code, which is accepted once; with the password where the account has an authenticator app. */
    public static Credentials recoveryCode(String account, String code, @Nullable String password) {
        return new Credentials(RECOVERY_CODE, account(account).text(requireNonNull(code, "code")).text(password));
    }

    /** An ID token of the app's own OpenID provider, whose nonce is or begins with {@link SignInRequest#keyThumbprint}. */
    public static Credentials idToken(String token) {
        return new Credentials(ID_TOKEN, new Message.Writer().text(requireNonNull(token, "token")));
    }

    /** JSON that the app's back end judges at a path of the authenticator's server. */
    public static Credentials json(String path, byte[] body) {
        Message.Writer fields = new Message.Writer().text(requireNonNull(path, "path"));
        return new Credentials(JSON, fields.bytes(requireNonNull(body, "body")));
    }

    private static Message.Writer account(String account) {
        return new Message.Writer().text(requireNonNull(account, "account"));
    }

    /** These credentials, whatever they are asked for. */
    @Override
    public CompletableFuture<Credentials> credentials(SignInRequest request) {
        return CompletableFuture.completedFuture(this);
    }

    /** Overwrites the credentials. Calls that were made with them have their own copies and go on; no other can be made. */
    public synchronized void wipe() {
        wiped = true;
        fields.wipe();
    }

    synchronized Message.Writer write(Message.Writer to) {
        if (wiped) {
            throw new IllegalStateException("the credentials were wiped");
        }
        return to.fields(fields);
    }

    @Override
    public String toString() {
        return "Credentials";
    }
}
