package com.thumbturn.fake;

import android.security.keystore.KeyGenParameterSpec;
import android.security.keystore.KeyProperties;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** One key of the Keystore: its specification, and the real key underneath. */
public final class FakeKey {
    /** The private key as apps see it: a name without bytes. */
    record Private(FakeKey key) implements PrivateKey {
        @Override
        public String getAlgorithm() {
            return key.algorithm;
        }

        @Override
        public String getFormat() {
            return null;
        }

        @Override
        public byte[] getEncoded() {
            return null;
        }
    }

    /** The secret key as apps see it. */
    record Secret(FakeKey key) implements SecretKey {
        @Override
        public String getAlgorithm() {
            return key.algorithm;
        }

        @Override
        public String getFormat() {
            return null;
        }

        @Override
        public byte[] getEncoded() {
            return null;
        }
    }

    private static final KeyPair[] RSA_PAIRS = new KeyPair[4];
    private static int rsaKeysMade;

    public final KeyGenParameterSpec spec;
    final String algorithm;
    final KeyPair pair;
    final SecretKey secret;
    final Certificate[] chain;

    /** Whether the Keystore refuses the key for ever, while its alias stays. */
    public volatile boolean ended;

    FakeKey(KeyGenParameterSpec spec, String algorithm) {
        this.spec = spec;
        this.algorithm = algorithm;
        try {
            if (algorithm.equals("EC") || algorithm.equals("RSA")) {
                pair = makePair();
                secret = null;
                chain = FakeCertificates.chain(this);
            } else {
                byte[] bytes = new byte[spec.getKeySize() / 8];
                new SecureRandom().nextBytes(bytes);
                pair = null;
                secret = new SecretKeySpec(bytes, algorithm);
                chain = null;
            }
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private KeyPair makePair() throws GeneralSecurityException {
        if (algorithm.equals("RSA")) {
            return rsaPair(spec.getKeySize());
        }
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC", "SunEC");
        generator.initialize(spec.getAlgorithmParameterSpec());
        return generator.generateKeyPair();
    }

    /** RSA keys take long to make, so a few are used in turn; two that follow each other differ. */
    private static synchronized KeyPair rsaPair(int bits) throws GeneralSecurityException {
        int index = rsaKeysMade++ % RSA_PAIRS.length;
        if (RSA_PAIRS[index] == null) {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA", "SunRsaSign");
            generator.initialize(bits);
            RSA_PAIRS[index] = generator.generateKeyPair();
        }
        return RSA_PAIRS[index];
    }

    String alias() {
        return spec.getKeystoreAlias();
    }

    int securityLevel() {
        return spec.isStrongBoxBacked()
                ? KeyProperties.SECURITY_LEVEL_STRONGBOX
                : KeyProperties.SECURITY_LEVEL_TRUSTED_ENVIRONMENT;
    }

    boolean isLocked() {
        return spec.isUserAuthenticationRequired();
    }

    /** The kinds of authentication that open the key: 1 the credential, 2 a strong biometric. */
    int authenticationType() {
        return FakeAndroid.level() < 30 ? KeyProperties.AUTH_BIOMETRIC_STRONG : spec.getUserAuthenticationType();
    }

    boolean endsWithEnrolment() {
        return isLocked()
                && authenticationType() == KeyProperties.AUTH_BIOMETRIC_STRONG
                && spec.isInvalidatedByBiometricEnrollment();
    }

    java.security.Key handle() {
        return pair != null ? new Private(this) : new Secret(this);
    }
}
