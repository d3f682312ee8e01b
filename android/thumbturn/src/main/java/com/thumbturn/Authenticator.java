package com.thumbturn;

import static java.util.Objects.requireNonNull;

import androidx.annotation.Nullable;
import com.thumbturn.internal.Message;
import com.thumbturn.internal.Screens;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Signs a person in with the keys of this device. One authenticator serves one server and one account.
 *
 * <p>It stores no "enabled" flag: what is possible is read from the keys. A future that fails has a {@link Failure}; cancelling
 * a future dismisses what it shows. A reason is shown in the system's prompt; an empty one fails with
 * {@link Failure#REASON_MISSING}.
 */
public final class Authenticator implements AutoCloseable {
    private static final int READINESS = 7;
    private static final int ENROL = 8;
    private static final int ADD_BIOMETRICS = 9;
    private static final int AUTHENTICATE = 10;
    private static final int SIGN_IN = 13;
    private static final int ME = 14;
    private static final int STEP_UP = 15;
    private static final int SEND = 16;
    private static final int AUTHORIZE = 17;
    private static final int AUTHORIZE_AFTER = 18;
    private static final int APPROVALS = 19;
    private static final int APPROVAL = 20;
    private static final int APPROVE = 21;
    private static final int DECLINE = 22;
    private static final int SET_PIN = 23;
    private static final int CHANGE_PIN = 24;
    private static final int REMOVE_PIN = 25;
    private static final int RESET_PIN = 26;
    private static final int REPLACE_BIOMETRIC_KEY = 27;
    private static final int DEVICES = 28;
    private static final int RENAME = 29;
    private static final int REMOVE = 30;
    private static final int REVOKE = 31;
    private static final int SIGN_OUT = 32;
    private static final int FORGET_RECENT_AUTHENTICATION = 33;
    private static final int CHANGE_PASSWORD = 43;
    private static final int REMOVE_BIOMETRIC_KEY = 44;
    private static final int LOCK_NOW = 50;

    private static final int A_SCREEN = 5;

    private final Handle handle;

    Authenticator(Handle handle) {
        this.handle = handle;
    }

    /** What can be done now. Silent: it never prompts. */
    public CompletableFuture<Readiness> readiness() {
        return readiness(Policy.UNLOCK);
    }

    /** What can be done now under a policy. */
    public CompletableFuture<Readiness> readiness(Policy policy) {
        return handle.call(READINESS, new Message.Writer().text(name(policy)), Readiness::read);
    }

    /** Enrols this device under {@link Policy#UNLOCK}; an enrolment that is there and complete is kept. */
    public CompletableFuture<Device> enrol(SignIn signIn, String reason) {
        return enrol(signIn, Policy.UNLOCK, null, reason, IfExists.KEEP);
    }

    /**
     * Signs the person in with their credentials, makes the keys of the policy's ladder and registers them, with at most one
     * prompt of the system.
     *
     * <p>The server judges the credentials first, also on a device that is enrolled. Until it has all new keys, a failure leaves
     * the enrolment as it was. The device's name has 1 to 64 characters; null takes the phone's.
     *
     * <p>While the account has other devices, the server lets a new one cool off, for a day by default, also one that replaces
     * itself: it signs in, and all else that needs a proof of presence fails with {@link Failure#COOLING_OFF}, whose
     * {@link Failure#until} tells the end.
     */
    public CompletableFuture<Device> enrol(
            SignIn signIn, Policy policy, @Nullable String deviceName, String reason, IfExists ifExists) {
        Message.Writer rest = new Message.Writer().text(name(policy)).text(deviceName).text(given(reason));
        rest.text(requireNonNull(ifExists, "ifExists").name);
        return with(signIn, request -> handle.call(ENROL, request.fields(rest), Device::read));
    }

    /** Enrols this device for the person who has signed in with their credentials in the last five minutes. */
    public CompletableFuture<Device> addBiometrics(Policy policy, @Nullable String deviceName, String reason) {
        return handle.call(
                ADD_BIOMETRICS, new Message.Writer().text(name(policy)).text(deviceName).text(given(reason)), Device::read);
    }

    /** Signs in under {@link Policy#UNLOCK}, with a prompt at once. */
    public CompletableFuture<Grant> authenticate(String reason) {
        return authenticate(reason, Policy.UNLOCK, Start.TAP);
    }

    /**
     * Walks the ladder until a key has signed the server's challenge, and exchanges the proof for tokens.
     *
     * <p>There is one prompt at a time, and none while the app is not in front. Equal calls that come before the person has
     * answered share the outcome.
     */
    public CompletableFuture<Grant> authenticate(String reason, Policy policy, Start start) {
        Message.Writer request = new Message.Writer().text(given(reason)).text(name(policy));
        return handle.call(AUTHENTICATE, request.text(requireNonNull(start, "start").name), Grant::read);
    }

    /**
     * Moves a call to its next rung, because the person chose another way, for example by the hint. Other calls go on as they are,
     * except equal ones that share its prompt. A call that has not begun to ask moves on once it does; for one that has ended
     * nothing happens.
     *
     * @param call the future that {@link #authenticate}, {@link #stepUp}, {@link #approve} or another method of this authenticator
     *     returned
     * @throws IllegalArgumentException if it is another future, for example one that {@code thenApply} made
     */
    public void useAnotherWay(CompletableFuture<?> call) {
        Call.useAnotherWay(handle, call);
    }

    /**
     * Shows the prompt of a call now, because the person tapped the screen that waits for it. It takes the same futures as
     * {@link #useAnotherWay}.
     */
    public void prompt(CompletableFuture<?> call) {
        Call.prompt(handle, call);
    }

    /** Signs the person in with their credentials and with no key of this device. Nothing is enrolled or replaced. */
    public CompletableFuture<Grant> signIn(SignIn signIn, String reason) {
        given(reason);
        return with(signIn, request -> handle.call(SIGN_IN, request.text(reason), Grant::read));
    }

    /** The account that the session belongs to. */
    public CompletableFuture<Account> me() {
        return handle.call(ME, new Message.Writer(), Account::read);
    }

    /**
     * Proves that the person is present for one action (RFC 9470). The amount is signed too; null where the action is not about
     * money. The session of the last sign-in goes on beside it.
     */
    public CompletableFuture<Grant> stepUp(Action action, @Nullable Amount amount, String reason, Policy policy) {
        Message.Writer request = new Message.Writer();
        Action.write(requireNonNull(action, "action"), request);
        Amount.write(amount, request);
        return handle.call(STEP_UP, request.text(given(reason)).text(name(policy)), Grant::read);
    }

    /**
     * Sends a request to one of the app's own APIs, with the session's token and a proof for this very request (RFC 9449).
     *
     * <p>A token that has expired is refreshed, a newer nonce is taken, and a demand for a fresh proof of presence is met, each
     * once. An origin that is not among the resources fails with {@link Failure#INSECURE_SERVER}.
     */
    public CompletableFuture<Response> send(Request request) {
        return handle.call(SEND, written(request), Response::read);
    }

    /**
     * The header fields that a request of the app's own client has to set: {@code Authorization} and {@code DPoP}. They are for
     * one sending of this request. Give the answer to {@link #authorizeAfter}.
     */
    public CompletableFuture<Map<String, String>> authorize(Request request) {
        return handle.call(AUTHORIZE, written(request), Response::headers);
    }

    /**
     * Looks at the answer to a request that was sent with the fields of {@link #authorize}. The future has the fields with which
     * to send it once more, or none where the answer stands.
     */
    public CompletableFuture<Map<String, String>> authorizeAfter(Request sent, int status, Map<String, String> headers) {
        Message.Writer request = written(sent).number(status);
        request.list(requireNonNull(headers, "headers").entrySet(), (message, field) ->
                message.text(field.getKey()).text(field.getValue()));
        return handle.call(AUTHORIZE_AFTER, request, fields -> {
            fields.flag();
            return Response.headers(fields);
        });
    }

    /** The transactions that this account may approve now, oldest first. Silent; it needs no session. */
    public CompletableFuture<List<Approval>> approvals() {
        return handle.call(APPROVALS, new Message.Writer(), fields -> fields.list(Approval::read));
    }

    /** Fetches an approval, to be shown; {@link Failure#APPROVAL_OVER} where this account has no such approval. */
    public CompletableFuture<Approval> approval(String id) {
        return handle.call(APPROVAL, new Message.Writer().text(requireNonNull(id, "id")), Approval::read);
    }

    /** Has the person prove the approval of exactly what was shown. Each approval has a prompt of its own. */
    public CompletableFuture<Approval> approve(Approval shown) {
        return handle.call(APPROVE, new Message.Writer().bytes(requireNonNull(shown, "shown").record), Approval::read);
    }

    /** Tells the server that the person declines. Never prompts. */
    public CompletableFuture<Void> decline(Approval shown) {
        return handle.call(DECLINE, new Message.Writer().bytes(requireNonNull(shown, "shown").record));
    }

    /** Has a person without a PIN choose one. */
    public CompletableFuture<Void> setPin(String reason) {
        return handle.call(SET_PIN, change(reason));
    }

    /** Has the person prove presence with their PIN or the sensor, and choose another PIN. */
    public CompletableFuture<Void> changePin(String reason) {
        return handle.call(CHANGE_PIN, change(reason));
    }

    /** Has the person prove presence, and removes the PIN. */
    public CompletableFuture<Void> removePin(String reason) {
        return handle.call(REMOVE_PIN, change(reason));
    }

    /** Has a person who forgot the PIN sign in and choose another one. */
    public CompletableFuture<Void> resetPin(SignIn signIn) {
        return with(signIn, request -> handle.call(RESET_PIN, request));
    }

    /**
     * Makes a new key for the sensor after a new finger or face, or after the sensor was turned off, authorised by the device
     * passcode. From API 30 on, and only at a server that runs with {@code --allow-passcode-to-replace-biometrics}: any other
     * refuses it, and there {@link #enrol} with the full sign-in makes all keys anew.
     */
    public CompletableFuture<Void> replaceBiometricKey(String reason) {
        return handle.call(REPLACE_BIOMETRIC_KEY, change(reason));
    }

    /**
     * Turns the sensor off, here and at the server: the person proves presence, and the biometric key is removed.
     *
     * <p>To turn it on again, store {@link OfferAnswer#SET_UP} by {@link #answerBiometricOffer}, and {@link #enrol} with the full
     * sign-in. That makes all keys anew, asks for a new PIN where the app has one, and begins a cool-off while the account has
     * other devices. {@link #replaceBiometricKey} keeps the other keys, at a server that allows it.
     */
    public CompletableFuture<Void> removeBiometricKey(String reason) {
        return handle.call(REMOVE_BIOMETRIC_KEY, change(reason));
    }

    /**
     * Deletes the biometric key, also offline, and no enrolment makes it again until {@link OfferAnswer#SET_UP} was stored. Never
     * prompts; the other rungs stay. Turning the sensor on again: see {@link #removeBiometricKey}.
     */
    public CompletableFuture<Void> declineBiometrics() {
        return Choices.decline(handle);
    }

    /** Whether to offer biometrics now under {@link Policy#UNLOCK}. Silent. */
    public CompletableFuture<Boolean> shouldOfferBiometrics() {
        return Choices.shouldOffer(handle);
    }

    /** Stores the person's answer to the offer. It makes no key by itself: {@link OfferAnswer#SET_UP} lets the next enrolment do so. */
    public CompletableFuture<Void> answerBiometricOffer(OfferAnswer answer) {
        return Choices.answer(handle, answer);
    }

    /** Sets the rung that the person wants to be asked first; null for the policy's order. */
    public CompletableFuture<Void> prefer(@Nullable Rung rung) {
        return Choices.prefer(handle, rung);
    }

    /**
     * Switches the sensor off for this account until a stronger rung has succeeded, for a person who may be forced to use it.
     * Silent. It outlives the app and a restart of the phone.
     */
    public CompletableFuture<Void> requireStrongerRungNextTime() {
        return Choices.requireStrongerRung(handle);
    }

    /**
     * Has the person prove presence, and sets the account's password, which may have 15 characters and more. The former one is not
     * needed. The sessions of the account's other devices end. The array stays the app's.
     */
    public CompletableFuture<Void> changePassword(char[] password, String reason) {
        Message.Writer request = new Message.Writer().characters(requireNonNull(password, "password")).text(given(reason));
        return handle.call(CHANGE_PASSWORD, request.text(Policy.HIGH_RISK.name));
    }

    /** The devices of this account, the oldest first. */
    public CompletableFuture<List<Device>> devices() {
        return handle.call(DEVICES, new Message.Writer(), fields -> fields.list(Device::read));
    }

    /** Gives a device another name of 1 to 64 characters. */
    public CompletableFuture<Device> rename(Device device, String name, String reason) {
        Message.Writer request = written(device).text(requireNonNull(name, "name")).text(given(reason));
        return handle.call(RENAME, request.text(Policy.UNLOCK.name), Device::read);
    }

    /** Removes a device from the account: its sessions end at once. This device is revoked, without a prompt. */
    public CompletableFuture<Void> remove(Device device, String reason) {
        return handle.call(REMOVE, written(device).text(given(reason)).text(Policy.UNLOCK.name));
    }

    /** Ends this device's enrolment at the server and deletes its keys. Never prompts, and needs no session. */
    public CompletableFuture<Void> revoke() {
        return handle.call(REVOKE, new Message.Writer());
    }

    /**
     * Ends the session, also one that full credentials opened. The device stays enrolled, so the next sign-in takes the sensor; a
     * device that is to be forgotten is revoked too, and the next sign-in takes the full credentials.
     *
     * <p>What is kept here ends first and without the network: no earlier unlock or step-up stands in for a later one, and a call
     * that is under way fails with {@link Failure#CANCELLED_BY_APP}. {@link Failure#UNREACHABLE} says that the server could not be
     * told: the session here is over all the same, and the server's ends an hour after its last refresh at the latest.
     * {@link Failure#NOT_ENROLLED} says that there was nothing to end.
     */
    public CompletableFuture<Void> signOut(boolean forgetDevice) {
        return handle.call(SIGN_OUT, new Message.Writer().flag(forgetDevice));
    }

    /** Dismisses the person: no earlier unlock or step-up stands in for a later one, and one that is under way ends. */
    public CompletableFuture<Void> forgetRecentAuthentication() {
        return handle.call(FORGET_RECENT_AUTHENTICATION, new Message.Writer());
    }

    /**
     * Ends what earlier unlocks are worth, for every account and vault of the app: call it when the app locks. It shows and covers
     * nothing, which is the app's own screen to do.
     *
     * <p>No earlier unlock or step-up stands in for a later one, one that is under way fails with {@link Failure#CANCELLED_BY_APP},
     * and sessions that are kept {@linkplain Options#sessionsUntilLock until the lock} end: each later request fails with
     * {@link Failure#SESSION_OVER} until the next unlock. A vault that is open stays open until its body ends.
     */
    public CompletableFuture<Void> lockNow() {
        return handle.call(LOCK_NOW, new Message.Writer());
    }

    /** Hears the news of this account's unlocks from now on, on the main thread. {@link Subscription#ended} tells a failure. */
    public Subscription news(Consumer<News> listener) {
        return Thumbturn.news(handle, listener);
    }

    /** Forgets the authenticator. The enrolment and the session stay. */
    @Override
    public void close() {
        handle.close();
    }

    private static Message.Writer change(String reason) {
        return new Message.Writer().text(given(reason)).text(Policy.UNLOCK.name);
    }

    private static String given(String reason) {
        return requireNonNull(reason, "reason");
    }

    private static String name(Policy policy) {
        return requireNonNull(policy, "policy").name;
    }

    private static Message.Writer written(Request request) {
        Message.Writer fields = new Message.Writer();
        requireNonNull(request, "request").write(fields);
        return fields;
    }

    private static Message.Writer written(Device device) {
        Message.Writer fields = new Message.Writer();
        requireNonNull(device, "device").write(fields);
        return fields;
    }

    /** A call with a request that begins with a sign-in. */
    private interface Calling<T> {
        CompletableFuture<T> call(Message.Writer request);
    }

    /** Calls with credentials, or with a screen that Swift may ask until the call has ended. */
    private <T> CompletableFuture<T> with(SignIn signIn, Calling<T> calling) {
        Message.Writer request = new Message.Writer();
        if (signIn instanceof Credentials) {
            try {
                ((Credentials) signIn).write(request);
            } catch (IllegalStateException wiped) {
                return Call.refused(handle, wiped);
            }
            return calling.call(request);
        }
        long screen = Screen.add(requireNonNull(signIn, "signIn"));
        CompletableFuture<T> call = calling.call(request.number(A_SCREEN).number(screen));
        call.whenComplete((value, thrown) -> Screens.remove(screen));
        return call;
    }

    /** What an enrolment does where this device is already enrolled. */
    public enum IfExists {
        /** Leaves the enrolment as it is, where it belongs to the account and is complete; otherwise enrols anew. */
        KEEP("keep"),
        /** Enrols anew. */
        REPLACE("replace"),
        /** Fails with {@link Failure#ALREADY_ENROLLED}, before the credentials are asked for. */
        FAIL("fail");

        final String name;

        IfExists(String name) {
            this.name = name;
        }
    }

    /** What an app says about an account. */
    public static final class Options {
        /** The account {@code default}, without resources and sign-in; its sessions are stored. */
        public static final Options DEFAULT = new Options("default", Collections.emptySet(), true, null);

        final String account;
        final Set<String> resources;
        final boolean storesSessions;
        @Nullable final SignIn signIn;

        private Options(String account, Set<String> resources, boolean storesSessions, @Nullable SignIn signIn) {
            this.account = account;
            this.resources = resources;
            this.storesSessions = storesSessions;
            this.signIn = signIn;
        }

        /** The same for another label of the account, where the app keeps several on one phone. */
        public Options account(String account) {
            return new Options(requireNonNull(account, "account"), resources, storesSessions, signIn);
        }

        /** The same with one more origin of the app's own APIs, such as {@code https://api.example.com}. */
        public Options resource(String origin) {
            return new Options(account, Thumbturn.with(resources, requireNonNull(origin, "origin")), storesSessions, signIn);
        }

        /**
         * The same with sessions in memory only. They end when the app calls {@link Authenticator#lockNow}, when the person is
         * dismissed, and with the process. The library does not know when the app locks: without a call they last until then.
         */
        public Options sessionsUntilLock() {
            return new Options(account, resources, false, signIn);
        }

        /** The same with a full sign-in as the last rung: a person who cannot use any other rung gets in. */
        public Options signIn(SignIn signIn) {
            return new Options(account, resources, storesSessions, requireNonNull(signIn, "signIn"));
        }
    }
}
