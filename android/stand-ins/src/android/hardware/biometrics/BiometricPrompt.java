package android.hardware.biometrics;

import android.content.Context;
import android.content.DialogInterface;
import android.os.CancellationSignal;
import com.thumbturn.fake.FakeAndroid;
import com.thumbturn.fake.FakePrompt;
import java.security.Signature;
import java.util.concurrent.Executor;
import javax.crypto.Cipher;

public class BiometricPrompt {
    public static final int AUTHENTICATION_RESULT_TYPE_BIOMETRIC = 2;
    public static final int AUTHENTICATION_RESULT_TYPE_DEVICE_CREDENTIAL = 1;
    public static final int BIOMETRIC_ACQUIRED_GOOD = 0;
    public static final int BIOMETRIC_ACQUIRED_IMAGER_DIRTY = 3;
    public static final int BIOMETRIC_ACQUIRED_INSUFFICIENT = 2;
    public static final int BIOMETRIC_ACQUIRED_PARTIAL = 1;
    public static final int BIOMETRIC_ACQUIRED_TOO_FAST = 5;
    public static final int BIOMETRIC_ACQUIRED_TOO_SLOW = 4;
    public static final int BIOMETRIC_ERROR_CANCELED = 5;
    public static final int BIOMETRIC_ERROR_HW_NOT_PRESENT = 12;
    public static final int BIOMETRIC_ERROR_HW_UNAVAILABLE = 1;
    public static final int BIOMETRIC_ERROR_LOCKOUT = 7;
    public static final int BIOMETRIC_ERROR_LOCKOUT_PERMANENT = 9;
    public static final int BIOMETRIC_ERROR_NO_BIOMETRICS = 11;
    public static final int BIOMETRIC_ERROR_NO_DEVICE_CREDENTIAL = 14;
    public static final int BIOMETRIC_ERROR_NO_SPACE = 4;
    public static final int BIOMETRIC_ERROR_SECURITY_UPDATE_REQUIRED = 15;
    public static final int BIOMETRIC_ERROR_TIMEOUT = 3;
    public static final int BIOMETRIC_ERROR_UNABLE_TO_PROCESS = 2;
    public static final int BIOMETRIC_ERROR_USER_CANCELED = 10;
    public static final int BIOMETRIC_ERROR_VENDOR = 8;

    private final FakePrompt prompt;

    private BiometricPrompt(FakePrompt prompt) {
        this.prompt = prompt;
    }

    public void authenticate(CancellationSignal cancel, Executor executor, AuthenticationCallback callback) {
        prompt.show(null, cancel, executor, callback);
    }

    public void authenticate(CryptoObject crypto, CancellationSignal cancel, Executor executor, AuthenticationCallback callback) {
        prompt.show(crypto, cancel, executor, callback);
    }

    public static class Builder {
        private final FakePrompt prompt = new FakePrompt();

        public Builder(Context context) {}

        /** Refuses what the framework's own check refuses. */
        public BiometricPrompt build() {
            if (prompt.title == null || prompt.title.length() == 0) {
                throw new IllegalArgumentException("Title must be set and non-empty");
            }
            boolean credential = (prompt.authenticators & BiometricManager.Authenticators.DEVICE_CREDENTIAL) != 0;
            if (!credential && (prompt.negative == null || prompt.negative.length() == 0)) {
                throw new IllegalArgumentException("Negative text must be set and non-empty");
            }
            if (credential && prompt.negative != null) {
                throw new IllegalArgumentException("Can't have both negative button behavior and device credential enabled");
            }
            return new BiometricPrompt(prompt);
        }

        public Builder setAllowedAuthenticators(int authenticators) {
            FakeAndroid.since(30);
            prompt.authenticators = authenticators;
            return this;
        }

        public Builder setConfirmationRequired(boolean requireConfirmation) {
            FakeAndroid.since(29);
            prompt.confirmation = requireConfirmation;
            return this;
        }

        public Builder setDescription(CharSequence description) {
            prompt.description = description;
            return this;
        }

        public Builder setNegativeButton(CharSequence text, Executor executor, DialogInterface.OnClickListener listener) {
            if (text == null || text.length() == 0 || executor == null || listener == null) {
                throw new IllegalArgumentException("Text, executor and listener must be set");
            }
            prompt.negative = text;
            prompt.negativeExecutor = executor;
            prompt.negativeListener = listener;
            return this;
        }

        public Builder setTitle(CharSequence title) {
            prompt.title = title;
            return this;
        }
    }

    public static final class CryptoObject {
        private final Object operation;

        public CryptoObject(Signature signature) {
            operation = signature;
        }

        public CryptoObject(Cipher cipher) {
            operation = cipher;
        }

        public Cipher getCipher() {
            return operation instanceof Cipher ? (Cipher) operation : null;
        }

        public Signature getSignature() {
            return operation instanceof Signature ? (Signature) operation : null;
        }
    }

    public static class AuthenticationResult {
        private final CryptoObject crypto;
        private final int type;

        AuthenticationResult(CryptoObject crypto, int type) {
            this.crypto = crypto;
            this.type = type;
        }

        public int getAuthenticationType() {
            FakeAndroid.since(30);
            return type;
        }

        public CryptoObject getCryptoObject() {
            return crypto;
        }
    }

    public abstract static class AuthenticationCallback {
        public AuthenticationCallback() {}

        public void onAuthenticationError(int errorCode, CharSequence errString) {}

        public void onAuthenticationFailed() {}

        public void onAuthenticationHelp(int helpCode, CharSequence helpString) {}

        public void onAuthenticationSucceeded(AuthenticationResult result) {}
    }
}
