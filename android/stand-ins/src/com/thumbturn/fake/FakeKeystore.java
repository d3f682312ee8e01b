package com.thumbturn.fake;

import android.security.KeyStoreException;
import android.security.keystore.BackendBusyException;
import android.security.keystore.KeyGenParameterSpec;
import android.security.keystore.KeyPermanentlyInvalidatedException;
import android.security.keystore.KeyProperties;
import android.security.keystore.StrongBoxUnavailableException;
import android.security.keystore.UserNotAuthenticatedException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.ProviderException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The keys of this phone, and what its Keystore does with them. */
public final class FakeKeystore {
    /** What the phone's StrongBox does when a key is asked of it. */
    public enum StrongBox {
        PRESENT,
        ABSENT,
        BROKEN,
        /** Makes keys, and fails at their first use. */
        USELESS
    }

    /** Which questions the Keystore cannot answer now. */
    public enum Trouble {
        NONE,
        /** Lists and certificates; keys are found. */
        LOOKS,
        ALL
    }

    private static final int CHALLENGE_BYTES = 128;
    private static final int INTERNAL_SYSTEM_ERROR = 4;
    private static final int KEY_DOES_NOT_EXIST = 6;
    private static final int CHALLENGE_TOO_LARGE = 9;
    private static final int KEYMINT_FAILURE = 10;
    private static final int INCORRECT_USAGE = 13;
    private static final int ATTESTATION_KEYS_UNAVAILABLE = 16;

    private final FakeAndroid android;
    private final Map<String, FakeKey> keys = new TreeMap<>();

    public volatile StrongBox strongBox = StrongBox.PRESENT;

    /** How many operations have begun. */
    public volatile int begun;

    /** Whether attestation keys are to be had; without a network they may run out. */
    public volatile boolean attests = true;

    /** Whether the sensor is not ready, which looks like a change of enrolment. */
    public volatile boolean sensorLate;

    public volatile boolean busy;

    public volatile Trouble trouble = Trouble.NONE;

    FakeKeystore(FakeAndroid android) {
        this.android = android;
    }

    public synchronized List<String> aliases() {
        return new ArrayList<>(keys.keySet());
    }

    /** The key under the alias, or null. */
    public synchronized FakeKey key(String alias) {
        return keys.get(alias);
    }

    synchronized void delete(String alias) {
        keys.remove(alias);
    }

    /** What a restored backup finds: the app's files, and none of its keys. */
    synchronized void clear() {
        keys.clear();
    }

    synchronized void enrolmentChanged() {
        for (FakeKey key : keys.values()) {
            key.ended |= key.endsWithEnrolment();
        }
    }

    synchronized void screenLockRemoved() {
        for (FakeKey key : keys.values()) {
            key.ended |= key.isLocked();
        }
    }

    /** What the generator checks before it asks the hardware. */
    void checkSpecification(KeyGenParameterSpec spec) throws InvalidAlgorithmParameterException {
        notOnMain();
        if (!spec.isUserAuthenticationRequired()) {
            return;
        }
        if (!android.sensor.secure) {
            throw refused("Secure lock screen must be enabled to create keys requiring user authentication");
        }
        boolean biometric = FakeAndroid.level() < 30 || spec.getUserAuthenticationType() == KeyProperties.AUTH_BIOMETRIC_STRONG;
        boolean enrolled = android.sensor.strength == FakeSensor.Strength.STRONG && android.sensor.enrolled > 0;
        if (biometric && !enrolled) {
            throw refused("At least one biometric must be enrolled to create keys requiring user authentication for every use");
        }
    }

    private static InvalidAlgorithmParameterException refused(String why) {
        return new InvalidAlgorithmParameterException(new IllegalStateException(why));
    }

    /** Makes the key, as the hardware does after the checks. */
    synchronized FakeKey generate(KeyGenParameterSpec spec, String algorithm) {
        notOnMain();
        if (spec.isStrongBoxBacked()) {
            switch (strongBox) {
                case ABSENT -> throw new StrongBoxUnavailableException("Failed to generate key");
                case BROKEN -> throw new ProviderException("Failed to generate key pair.", keystoreException(-1, false));
                case PRESENT, USELESS -> { }
            }
        }
        byte[] challenge = spec.getAttestationChallenge();
        if (challenge != null && challenge.length > CHALLENGE_BYTES) {
            throw new ProviderException("Failed to generate key pair.", keystoreException(CHALLENGE_TOO_LARGE, false));
        }
        if (challenge != null && !attests) {
            throw new ProviderException("Failed to generate key pair.", keystoreException(ATTESTATION_KEYS_UNAVAILABLE, true));
        }
        FakeKey key = new FakeKey(spec, algorithm);
        keys.put(spec.getKeystoreAlias(), key);
        return key;
    }

    /** Begins an operation with the key, or refuses as this level's Keystore does. */
    synchronized FakeOperation begin(FakeKey key, int purpose) throws InvalidKeyException {
        notOnMain();
        boolean keystore2 = FakeAndroid.level() >= 31;
        if (busy) {
            throw keystore2
                    ? new BackendBusyException(1000)
                    : new ProviderException(keystoreException(INTERNAL_SYSTEM_ERROR, true));
        }
        if (keys.get(key.alias()) != key) {
            Exception cause = keystoreException(KEY_DOES_NOT_EXIST, false);
            throw keystore2
                    ? new KeyPermanentlyInvalidatedException("Key permanently invalidated", cause)
                    : new InvalidKeyException("Keystore operation failed", cause);
        }
        if ((key.spec.getPurposes() & purpose) == 0) {
            throw new InvalidKeyException("Keystore operation failed", keystoreException(INCORRECT_USAGE, false));
        }
        if (key.spec.isStrongBoxBacked() && strongBox == StrongBox.USELESS) {
            throw new InvalidKeyException("Keystore operation failed", keystoreException(KEYMINT_FAILURE, false));
        }
        if (key.ended || key.isLocked() && key.endsWithEnrolment() && sensorLate) {
            throw new KeyPermanentlyInvalidatedException("Key permanently invalidated", null);
        }
        if (!android.unlockedSinceBoot && keystore2) {
            throw new UserNotAuthenticatedException("User not authenticated", null);
        }
        begun++;
        return new FakeOperation(key, !key.isLocked() && android.unlockedSinceBoot);
    }

    /** An app that waits for the Keystore on the main thread freezes its screen. */
    void notOnMain() {
        if (android.main.isCurrentThread()) {
            throw new IllegalStateException("the Keystore was called on the main thread");
        }
    }

    static KeyStoreException keystoreException(int code, boolean isTransient) {
        return Hidden.make(KeyStoreException.class, code, isTransient);
    }
}
