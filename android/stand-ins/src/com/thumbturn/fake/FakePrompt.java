package com.thumbturn.fake;

import android.content.DialogInterface;
import android.hardware.biometrics.BiometricManager.Authenticators;
import android.hardware.biometrics.BiometricPrompt;
import android.os.CancellationSignal;
import java.util.concurrent.Executor;

/** One prompt of the system: what it shows, and what becomes of it. */
public final class FakePrompt {
    private static final int CANCELED = 5;

    private final FakeAndroid android = FakeAndroid.now();

    public CharSequence title;
    public CharSequence description;
    public CharSequence negative;
    public int authenticators;
    /** Null where the app did not say. */
    public Boolean confirmation;

    public Executor negativeExecutor;
    public DialogInterface.OnClickListener negativeListener;

    private BiometricPrompt.CryptoObject crypto;
    private Executor executor;
    private BiometricPrompt.AuthenticationCallback callback;
    private boolean answersCancel = true;
    private boolean leftBehind;
    private boolean cancelThrows;
    private boolean losesOperation;
    private boolean open;

    public boolean isOnScreen() {
        return android.onScreen.contains(this);
    }

    public void show(
            BiometricPrompt.CryptoObject object,
            CancellationSignal cancel,
            Executor callbackExecutor,
            BiometricPrompt.AuthenticationCallback receiver) {
        crypto = object;
        executor = callbackExecutor;
        callback = receiver;
        String[] script = android.nextScript();
        if (script.length > 0 && script[0].equals("null pointer")) {
            cancel.setOnCancelListener(() -> {
                throw new NullPointerException("the service of the sensor is still down");
            });
            throw new NullPointerException("the service of the sensor is down");
        }
        if (cancel.isCanceled()) {
            return;
        }
        boolean credential = authenticators == Authenticators.DEVICE_CREDENTIAL;
        cancel.setOnCancelListener(this::cancelled);
        for (FakePrompt older : android.onScreen.toArray(new FakePrompt[0])) {
            if (!older.leftBehind) {
                older.error(CANCELED);
            }
        }
        android.onScreen.add(this);
        android.last = this;
        android.promptsShown++;
        open = true;
        int refusal = credential ? (android.sensor.secure ? 0 : 14) : refusal();
        if (refusal != 0) {
            error(refusal);
            return;
        }
        for (String step : script) {
            step(step);
        }
    }

    /** What the system answers at once instead of listening. */
    private int refusal() {
        int answer = android.sensor.canAuthenticate(
                crypto == null && FakeAndroid.level() < 30 ? Authenticators.BIOMETRIC_WEAK : Authenticators.BIOMETRIC_STRONG);
        return answer != 0 ? answer : android.sensor.lockout();
    }

    /** Does one step of a script; a script is what the maker's phone does with this prompt. */
    void step(String step) {
        String[] words = step.split(" ");
        switch (words[0]) {
            case "match" -> match();
            case "fail" -> fail();
            case "help" -> help(Integer.parseInt(words[1]));
            case "error" -> error(Integer.parseInt(words[1]));
            case "negative" -> negative();
            case "credential" -> credential();
            case "silence" -> answersCancel = false;
            case "cancel-throws" -> cancelThrows = true;
            case "stays" -> leftBehind = true;
            case "loses-operation" -> losesOperation = true;
            default -> throw new IllegalArgumentException("no such step: " + step);
        }
    }

    /** The sensor recognises the finger; the key's operation is authorised. */
    public void match() {
        android.sensor.succeeded(false);
        succeed(BiometricPrompt.AUTHENTICATION_RESULT_TYPE_BIOMETRIC);
    }

    /** The person gives the screen lock's credential. */
    public void credential() {
        android.sensor.succeeded(true);
        succeed(BiometricPrompt.AUTHENTICATION_RESULT_TYPE_DEVICE_CREDENTIAL);
    }

    private void succeed(int type) {
        Object operation = crypto == null ? null : crypto.getSignature() != null ? crypto.getSignature() : crypto.getCipher();
        if (operation != null && open) {
            FakeOperation.of(operation).authorise(type);
        }
        close();
        BiometricPrompt.AuthenticationResult result =
                Hidden.make(BiometricPrompt.AuthenticationResult.class, losesOperation ? null : crypto, type);
        executor.execute(() -> callback.onAuthenticationSucceeded(result));
    }

    /** A finger that does not match: the prompt stays, until the lockout. */
    public void fail() {
        executor.execute(callback::onAuthenticationFailed);
        int lockout = android.sensor.mismatched();
        if (lockout != 0) {
            error(lockout);
        }
    }

    public void help(int code) {
        executor.execute(() -> callback.onAuthenticationHelp(code, "text"));
    }

    public void error(int code) {
        close();
        executor.execute(() -> callback.onAuthenticationError(code, "text"));
    }

    public void negative() {
        close();
        negativeExecutor.execute(() -> negativeListener.onClick(null, 0));
    }

    /** The app cancels: a prompt that was left behind goes away, a silent system says nothing. */
    private void cancelled() {
        if (cancelThrows) {
            throw new NullPointerException("the service of the sensor is down");
        }
        boolean wasOpen = open;
        android.onScreen.remove(this);
        open = false;
        if (wasOpen && answersCancel) {
            executor.execute(() -> callback.onAuthenticationError(CANCELED, "text"));
        }
    }

    private void close() {
        open = false;
        if (!leftBehind) {
            android.onScreen.remove(this);
        }
    }
}
