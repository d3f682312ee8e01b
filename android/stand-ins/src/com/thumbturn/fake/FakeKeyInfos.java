package com.thumbturn.fake;

import android.security.keystore.KeyInfo;
import java.security.Key;
import java.security.KeyFactorySpi;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.KeySpec;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactorySpi;

/** What the Keystore tells about a key that it made. */
final class FakeKeyInfos {
    private FakeKeyInfos() {}

    private static KeyInfo info(FakeKey key) {
        FakeAndroid.now().keystore.notOnMain();
        return Hidden.make(KeyInfo.class, key.securityLevel());
    }

    /** Tells about key pairs. */
    public static final class Pairs extends KeyFactorySpi {
        public Pairs() {}

        @Override
        protected <T extends KeySpec> T engineGetKeySpec(Key key, Class<T> type) {
            return type.cast(info(((FakeKey.Private) key).key()));
        }

        @Override
        protected PublicKey engineGeneratePublic(KeySpec spec) {
            throw new UnsupportedOperationException();
        }

        @Override
        protected PrivateKey engineGeneratePrivate(KeySpec spec) {
            throw new UnsupportedOperationException();
        }

        @Override
        protected Key engineTranslateKey(Key key) {
            throw new UnsupportedOperationException();
        }
    }

    /** Tells about secret keys. */
    public static final class Secrets extends SecretKeyFactorySpi {
        public Secrets() {}

        @Override
        protected KeySpec engineGetKeySpec(SecretKey key, Class<?> type) {
            return info(((FakeKey.Secret) key).key());
        }

        @Override
        protected SecretKey engineGenerateSecret(KeySpec spec) {
            throw new UnsupportedOperationException();
        }

        @Override
        protected SecretKey engineTranslateKey(SecretKey key) {
            throw new UnsupportedOperationException();
        }
    }
}
