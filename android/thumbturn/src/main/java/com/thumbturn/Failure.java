package com.thumbturn;

import androidx.annotation.Nullable;
import com.thumbturn.internal.Message;
import java.time.Instant;
import java.util.Objects;

/**
 * Why a call did not succeed, with the next step.
 *
 * <p>The message is a text for the person, in the app's language as it was at the first call on this phone. Codes may be added:
 * compare with {@link #has}, and keep a default.
 */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The person pressed the prompt's cancel button. */
    public static final String CANCELLED_BY_USER = "cancelledByUser";

    /** The system took the prompt away: a call, another app in front. */
    public static final String CANCELLED_BY_SYSTEM = "cancelledBySystem";

    /** The app cancelled the task, or dismissed the prompt. */
    public static final String CANCELLED_BY_APP = "cancelledByApp";

    /** Another prompt took this one's place. */
    public static final String SUPERSEDED = "superseded";

    /** The sensor saw another person, or could not recognise this one. */
    public static final String NOT_MATCHED = "notMatched";

    /** The prompt was not answered in time. */
    public static final String TIMED_OUT = "timedOut";

    /** Too many mismatches: the sensor is refused until another factor has succeeded. */
    public static final String LOCKED_OUT = "lockedOut";

    /** Too many mismatches or wrong PINs: this rung pauses, and ends its pause by itself. */
    public static final String PAUSED = "paused";

    /** The new PIN is easy to guess, so the person has to choose another one. */
    public static final String PIN_EASILY_GUESSED = "pinEasilyGuessed";

    /** There is a sensor, but no face or finger is enrolled. */
    public static final String BIOMETRY_NOT_ENROLLED = "biometryNotEnrolled";

    /** The device has no sensor. */
    public static final String BIOMETRY_ABSENT = "biometryAbsent";

    /** The management of the device does not allow the sensor. */
    public static final String BIOMETRY_FORBIDDEN = "biometryForbidden";

    /** The sensor cannot be used now. */
    public static final String BIOMETRY_UNAVAILABLE = "biometryUnavailable";

    /** The device's sensor is too weak to unlock a key. */
    public static final String BIOMETRY_TOO_WEAK = "biometryTooWeak";

    /** The system was upgraded: a stronger rung has to confirm the enrolled faces and fingers once. */
    public static final String BIOMETRY_UNCONFIRMED = "biometryUnconfirmed";

    /** The device has no passcode. */
    public static final String PASSCODE_NOT_SET = "passcodeNotSet";

    /** The person has not allowed this app to use the sensor. */
    public static final String PERMISSION_DENIED = "permissionDenied";

    /**
     * The key is gone for good: a new finger or face, no passcode any more, or too many wrong PINs. A vault is gone with its key:
     * {@link Vault#delete} it, and the next unlock makes a new one.
     */
    public static final String KEY_INVALIDATED = "keyInvalidated";

    /** This device has no key for any rung of the policy. */
    public static final String NOT_ENROLLED = "notEnrolled";

    /** The device has not been unlocked since it started. */
    public static final String NOT_YET_READABLE = "notYetReadable";

    /** enrol was told to fail on an enrolled device, and this one is enrolled. */
    public static final String ALREADY_ENROLLED = "alreadyEnrolled";

    /** The credentials are right, and this device is set up for another account. */
    public static final String ANOTHER_ACCOUNT = "anotherAccount";

    /** The server does not accept the request. */
    public static final String REFUSED = "refused";

    /** The device was enrolled a short time ago: until {@link #until} it signs in and does nothing else. */
    public static final String COOLING_OFF = "coolingOff";

    /** There is no live session: the person has not signed in, the session ended, or the device was revoked. */
    public static final String SESSION_OVER = "sessionOver";

    /** The server does not answer, or cannot now. */
    public static final String UNREACHABLE = "unreachable";

    /** The server's answer is malformed or not for this request: a defect, or an attacker on the network. */
    public static final String UNEXPECTED_ANSWER = "unexpectedAnswer";

    /** The approval is no longer open (approved, declined, withdrawn or expired), or it belongs to another account. */
    public static final String APPROVAL_OVER = "approvalOver";

    /** The answer of the provider is for another sign-in or from another provider: an old page, or an attacker. */
    public static final String FOREIGN_ANSWER = "foreignAnswer";

    /** The provider and the app's registration there do not fit the app. */
    public static final String PROVIDER_MISMATCH = "providerMismatch";

    /** The policy's ladder is empty, or the policy contradicts itself. */
    public static final String POLICY_DENIES = "policyDenies";

    /** The app gave no reason to show in the prompt. */
    public static final String REASON_MISSING = "reasonMissing";

    /** The server's address is neither https nor this machine itself. */
    public static final String INSECURE_SERVER = "insecureServer";

    /** The platform failed in a way that has no code here; see status. */
    public static final String PLATFORM = "platform";

    /** This platform has no vaults. */
    public static final String NO_VAULT = "noVault";

    /** The unlock is over, and its secrets can no longer be used: open the vault again. */
    public static final String VAULT_CLOSED = "vaultClosed";

    /** The bytes are not what this vault sealed under that name. */
    public static final String NOT_AUTHENTIC = "notAuthentic";

    /** More bytes than a vault takes. */
    public static final String TOO_LARGE = "tooLarge";

    /** The name of what happened. */
    public final String code;

    /** The next step. */
    public final Recovery recovery;

    /** The text of the button that takes the step, in the app's language; null where there is nothing to press. */
    @Nullable public final String button;

    /** The raw status of the platform, for developers. */
    @Nullable public final String status;

    /** Which mistake of the app or of its server it is, in English for developers; null where it is none. */
    @Nullable public final String hint;

    /** When a {@link #COOLING_OFF} ends, by the server's clock; null for every other code. */
    @Nullable public final Instant until;

    private Failure(
            String code, Recovery recovery, String message, @Nullable String button, @Nullable String status,
            @Nullable String hint, @Nullable Long until) {
        super(message);
        this.code = code;
        this.recovery = recovery;
        this.button = button;
        this.status = status;
        this.hint = hint;
        this.until = until == null ? null : Instant.ofEpochSecond(until);
    }

    static Failure read(Message.Reader fields) {
        return new Failure(
                fields.text(), Recovery.read(fields), fields.text(), fields.textOrNull(), fields.textOrNull(),
                fields.textOrNull(), fields.numberOrNull());
    }

    /**
     * The failure that a future ended with, also where the futures of the JDK have wrapped it, as in {@code whenComplete} after
     * {@code thenCompose}; null for anything else, a cancellation among it.
     */
    @Nullable
    public static Failure of(@Nullable Throwable thrown) {
        Throwable cause = thrown == null ? null : Handle.cause(thrown);
        return cause instanceof Failure ? (Failure) cause : null;
    }

    /** Whether it has this code. */
    public boolean has(String code) {
        return this.code.equals(Objects.requireNonNull(code, "code"));
    }

    /** The code, the step and the raw status, without the text for the person. */
    @Override
    public String toString() {
        return "Failure: " + code + ", " + recovery + (status == null ? "" : " (" + status + ")");
    }
}
