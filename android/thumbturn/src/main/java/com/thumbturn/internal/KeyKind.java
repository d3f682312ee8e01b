package com.thumbturn.internal;

import android.os.Build;
import android.security.keystore.KeyGenParameterSpec;
import android.security.keystore.KeyProperties;
import androidx.annotation.RequiresApi;
import java.security.spec.ECGenParameterSpec;

/**
 * The kinds of keys and what each demands, one row per kind.
 *
 * <p>Every key with a lock needs it at each use: keys bound to a time race with the lock screen on some Samsung models.
 * {@code setUnlockedDeviceRequired} stays off for all: from Android 12 on it fails after an unlock by a weak biometric or a trust
 * agent.
 */
enum KeyKind {
    BIOMETRIC_SIGN(1, Algorithm.EC, Lock.BIOMETRIC, true, true),
    PASSCODE_SIGN(2, Algorithm.EC, Lock.CREDENTIAL, false, true),
    /** Signs every request: StrongBox would add up to a second to each. */
    SESSION_SIGN(3, Algorithm.EC, Lock.NONE, false, false),
    PIN_HMAC(4, Algorithm.HMAC, Lock.NONE, false, true),
    VAULT_BIOMETRIC(5, Algorithm.RSA, Lock.BIOMETRIC, true, true),
    VAULT_PASSCODE(6, Algorithm.RSA, Lock.CREDENTIAL, false, true),
    VAULT_BIOMETRIC_ANY(7, Algorithm.RSA, Lock.BIOMETRIC, false, true),
    /** Reads and writes often, as the session key does. */
    SECRETS(8, Algorithm.AES, Lock.NONE, false, false);

    enum Algorithm {
        EC(KeyProperties.KEY_ALGORITHM_EC, true, KeyUse.SIGN),
        RSA(KeyProperties.KEY_ALGORITHM_RSA, true, KeyUse.DECRYPT),
        HMAC(KeyProperties.KEY_ALGORITHM_HMAC_SHA256, false, KeyUse.MAC),
        AES(KeyProperties.KEY_ALGORITHM_AES, false, KeyUse.DECRYPT);

        /** The name that the Keystore's generators and factories know. */
        final String keystoreName;

        /** Whether its keys are pairs: only those are attested. */
        final boolean isPair;

        /** What its keys are made for. */
        final KeyUse use;

        Algorithm(String keystoreName, boolean isPair, KeyUse use) {
            this.keystoreName = keystoreName;
            this.isPair = isPair;
            this.use = use;
        }
    }

    /** What must be shown at each use of the key. */
    enum Lock {
        NONE,
        BIOMETRIC,
        CREDENTIAL
    }

    /** The first level whose Keystore knows keys that the device credential alone opens at each use. */
    private static final int CREDENTIAL_KEYS = 30;

    private final int number;
    final Algorithm algorithm;
    private final Lock lock;
    private final boolean endedByEnrolment;
    final boolean inStrongBox;

    KeyKind(int number, Algorithm algorithm, Lock lock, boolean endedByEnrolment, boolean inStrongBox) {
        this.number = number;
        this.algorithm = algorithm;
        this.lock = lock;
        this.endedByEnrolment = endedByEnrolment;
        this.inStrongBox = inStrongBox;
    }

    static KeyKind of(long number) {
        for (KeyKind kind : values()) {
            if (kind.number == number) {
                return kind;
            }
        }
        throw new IllegalArgumentException("there is no kind of key " + number);
    }

    /** The specification for the Keystore; throws where this level has no such keys. */
    KeyGenParameterSpec specification(String alias, @Nullable byte[] challenge, boolean strongBox) {
        KeyGenParameterSpec.Builder builder = algorithmSpecification(alias);
        lock(builder);
        if (challenge != null && algorithm.isPair) {
            builder.setAttestationChallenge(challenge);
        }
        if (strongBox) {
            builder.setIsStrongBoxBacked(true);
        }
        return builder.build();
    }

    private KeyGenParameterSpec.Builder algorithmSpecification(String alias) {
        return switch (algorithm) {
            case EC -> new KeyGenParameterSpec.Builder(alias, KeyProperties.PURPOSE_SIGN)
                    .setAlgorithmParameterSpec(new ECGenParameterSpec("secp256r1"))
                    .setDigests(KeyProperties.DIGEST_SHA256);
            case RSA -> new KeyGenParameterSpec.Builder(alias, KeyProperties.PURPOSE_DECRYPT)
                    .setKeySize(2048)
                    .setEncryptionPaddings(KeyProperties.ENCRYPTION_PADDING_RSA_OAEP)
                    // The second is for MGF1.
                    .setDigests(KeyProperties.DIGEST_SHA256, KeyProperties.DIGEST_SHA1);
            case HMAC -> new KeyGenParameterSpec.Builder(alias, KeyProperties.PURPOSE_SIGN)
                    .setKeySize(256)
                    .setDigests(KeyProperties.DIGEST_SHA256);
            case AES -> new KeyGenParameterSpec.Builder(
                            alias, KeyProperties.PURPOSE_ENCRYPT | KeyProperties.PURPOSE_DECRYPT)
                    .setKeySize(256)
                    .setBlockModes(KeyProperties.BLOCK_MODE_GCM)
                    .setEncryptionPaddings(KeyProperties.ENCRYPTION_PADDING_NONE);
        };
    }

    private void lock(KeyGenParameterSpec.Builder builder) {
        if (lock == Lock.NONE) {
            return;
        }
        builder.setUserAuthenticationRequired(true);
        if (Build.VERSION.SDK_INT >= CREDENTIAL_KEYS) {
            lockEachUse(builder);
        } else if (lock == Lock.CREDENTIAL) {
            throw new UnsupportedOperationException("keys behind the device credential need level " + CREDENTIAL_KEYS);
        }
        // Below that level the default is a biometric at each use.
        if (lock == Lock.BIOMETRIC) {
            builder.setInvalidatedByBiometricEnrollment(endedByEnrolment);
        }
    }

    @RequiresApi(CREDENTIAL_KEYS)
    private void lockEachUse(KeyGenParameterSpec.Builder builder) {
        int type = lock == Lock.CREDENTIAL ? KeyProperties.AUTH_DEVICE_CREDENTIAL : KeyProperties.AUTH_BIOMETRIC_STRONG;
        builder.setUserAuthenticationParameters(0, type);
    }
}
