package com.thumbturn.fake;

import android.security.keystore.KeyGenParameterSpec;
import java.security.InvalidAlgorithmParameterException;
import java.security.KeyPair;
import java.security.KeyPairGeneratorSpi;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.KeyGeneratorSpi;
import javax.crypto.SecretKey;

/** The generators of keys. */
final class FakeGenerators {
    private FakeGenerators() {}

    private static KeyGenParameterSpec checked(AlgorithmParameterSpec spec) throws InvalidAlgorithmParameterException {
        KeyGenParameterSpec checked = (KeyGenParameterSpec) spec;
        FakeAndroid.now().keystore.checkSpecification(checked);
        return checked;
    }

    /** Makes key pairs. */
    abstract static class Pairs extends KeyPairGeneratorSpi {
        private final String algorithm;
        private KeyGenParameterSpec spec;

        Pairs(String algorithm) {
            this.algorithm = algorithm;
        }

        @Override
        public void initialize(int size, SecureRandom random) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void initialize(AlgorithmParameterSpec parameters, SecureRandom random) throws InvalidAlgorithmParameterException {
            spec = checked(parameters);
        }

        @Override
        public KeyPair generateKeyPair() {
            FakeKey key = FakeAndroid.now().keystore.generate(spec, algorithm);
            return new KeyPair(key.pair.getPublic(), new FakeKey.Private(key));
        }
    }

    /** Makes P-256 key pairs. */
    public static final class EcPairs extends Pairs {
        public EcPairs() {
            super("EC");
        }
    }

    /** Makes RSA key pairs. */
    public static final class RsaPairs extends Pairs {
        public RsaPairs() {
            super("RSA");
        }
    }

    /** Makes secret keys. */
    abstract static class Secrets extends KeyGeneratorSpi {
        private final String algorithm;
        private KeyGenParameterSpec spec;

        Secrets(String algorithm) {
            this.algorithm = algorithm;
        }

        @Override
        protected void engineInit(SecureRandom random) {
            throw new UnsupportedOperationException();
        }

        @Override
        protected void engineInit(int size, SecureRandom random) {
            throw new UnsupportedOperationException();
        }

        @Override
        protected void engineInit(AlgorithmParameterSpec parameters, SecureRandom random)
                throws InvalidAlgorithmParameterException {
            spec = checked(parameters);
        }

        @Override
        protected SecretKey engineGenerateKey() {
            return new FakeKey.Secret(FakeAndroid.now().keystore.generate(spec, algorithm));
        }
    }

    /** Makes AES keys. */
    public static final class Aes extends Secrets {
        public Aes() {
            super("AES");
        }
    }

    /** Makes HMAC keys. */
    public static final class Hmac extends Secrets {
        public Hmac() {
            super("HmacSHA256");
        }
    }
}
