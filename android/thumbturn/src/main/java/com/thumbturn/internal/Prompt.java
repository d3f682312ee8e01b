package com.thumbturn.internal;

import android.content.Context;
import android.content.DialogInterface;
import android.hardware.biometrics.BiometricPrompt;
import android.os.Build;
import android.os.CancellationSignal;
import androidx.annotation.RequiresApi;
import java.security.Signature;
import javax.crypto.Cipher;

/**
 * One prompt, from its beginning to its one last answer. All on the main thread.
 *
 * <p>Systems send callbacks after the last one, send none at all or none after a cancel, or leave the prompt on the screen: what
 * comes late is ignored, a prompt of {@link #LONGEST} is cancelled, silence after a cancel is answered by {@link #silent}, and
 * each end takes the prompt away.
 */
final class Prompt extends BiometricPrompt.AuthenticationCallback implements DialogInterface.OnClickListener {
    /** Milliseconds that the system has to answer a cancel. */
    static final long SILENCE_AFTER_CANCEL = 2000;

    /**
     * Milliseconds after which a prompt without an end is cancelled. A system may lose a prompt and never tell, which looks like a
     * person who does not answer: sensors give up after about 30 seconds, and a lock screen's credential is soon typed.
     */
    static final long LONGEST = 600_000;

    private static final int SUCCEEDED = 1;
    private static final int ERROR = 2;
    private static final int HELP = 1;
    private static final int FAILED_ATTEMPT = 2;

    /** {@code BIOMETRIC_ERROR_CANCELED}. */
    private static final int CANCELED = 5;

    /** The code that androidx gives to a tap on the negative button; the framework calls a listener instead. */
    private static final int NEGATIVE_BUTTON = 13;

    private static final int UNKNOWN_TYPE = -1;

    private final Context context;
    private final PromptRequest request;
    private final Answer answer;
    private final Handles handles;
    private final Runnable onEnd;
    private final CancellationSignal cancellation = new CancellationSignal();
    private boolean shown;
    private boolean ended;

    Prompt(Context context, PromptRequest request, Answer answer, Handles handles, Runnable onEnd) {
        this.context = context;
        this.request = request;
        this.answer = answer;
        this.handles = handles;
        this.onEnd = onEnd;
    }

    /** Shows the prompt for an operation that has begun, or for none. */
    void show(@Nullable Object operation) {
        if (ended) {
            return;
        }
        shown = true;
        try {
            BiometricPrompt prompt = PromptForm.build(context, request, this);
            if (operation == null) {
                prompt.authenticate(cancellation, context.getMainExecutor(), this);
            } else {
                prompt.authenticate(cryptoObject(operation), cancellation, context.getMainExecutor(), this);
            }
        } catch (Throwable thrown) {
            // Frameworks of some models throw a NullPointerException here when the sensor's service is down.
            threw(thrown);
        }
    }

    /** Asks the system to end the prompt; before it is shown, ends it at once. */
    void cancel() {
        if (!shown) {
            error(CANCELED);
        } else if (!ended) {
            dismiss();
        }
    }

    /** Ends the prompt as cancelled, if the system has not. */
    void silent() {
        error(CANCELED);
    }

    void threw(Throwable thrown) {
        if (end()) {
            answer.threw(thrown);
        }
    }

    @Override
    public void onAuthenticationHelp(int code, CharSequence text) {
        if (!ended) {
            answer.news(new Message.Writer().number(HELP).number(code));
        }
    }

    @Override
    public void onAuthenticationFailed() {
        if (!ended) {
            answer.news(new Message.Writer().number(FAILED_ATTEMPT));
        }
    }

    @Override
    public void onAuthenticationError(int code, CharSequence text) {
        error(code);
    }

    @Override
    public void onClick(DialogInterface dialog, int which) {
        error(NEGATIVE_BUTTON);
    }

    @Override
    public void onAuthenticationSucceeded(BiometricPrompt.AuthenticationResult result) {
        if (!end()) {
            return;
        }
        Message.Writer fields = new Message.Writer()
                .number(SUCCEEDED)
                .number(Build.VERSION.SDK_INT >= 30 ? typeOf(result) : UNKNOWN_TYPE);
        if (request.use == null) {
            answer.done(fields.number(0).bytes(null));
            return;
        }
        BiometricPrompt.CryptoObject crypto = result.getCryptoObject();
        Object operation = crypto == null ? null : operation(crypto);
        if (operation == null) {
            answer.threw(new IllegalStateException("the prompt succeeded without the operation it was given"));
            return;
        }
        answer.done(fields.number(handles.keep(operation)).bytes(null));
    }

    private void error(int code) {
        if (end()) {
            answer.done(new Message.Writer().number(ERROR).number(code));
        }
    }

    /** True for the first end only. */
    private boolean end() {
        if (ended) {
            return false;
        }
        ended = true;
        onEnd.run();
        // Some models leave the prompt on the screen after its last callback.
        dismiss();
        return true;
    }

    /** Takes the prompt away; a system that throws here must cost neither the answer nor the app. */
    private void dismiss() {
        try {
            cancellation.cancel();
        } catch (RuntimeException broken) {
            // The watchdog answers for a system that cannot even cancel.
        }
    }

    @RequiresApi(30)
    private static int typeOf(BiometricPrompt.AuthenticationResult result) {
        return result.getAuthenticationType();
    }

    private static BiometricPrompt.CryptoObject cryptoObject(Object operation) {
        return operation instanceof Signature
                ? new BiometricPrompt.CryptoObject((Signature) operation)
                : new BiometricPrompt.CryptoObject((Cipher) operation);
    }

    @Nullable
    private static Object operation(BiometricPrompt.CryptoObject crypto) {
        Signature signature = crypto.getSignature();
        return signature != null ? signature : crypto.getCipher();
    }
}
