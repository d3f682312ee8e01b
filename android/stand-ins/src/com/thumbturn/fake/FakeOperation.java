package com.thumbturn.fake;

import java.io.IOException;
import java.security.AlgorithmParameters;
import java.security.AlgorithmParametersSpi;
import java.security.Signature;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.Cipher;

/** An operation that has begun: it can finish once a prompt has authorised exactly this one. */
final class FakeOperation {
    private static final int USER_AUTHENTICATION_REQUIRED = 2;

    private final FakeKey key;
    private volatile boolean authorised;

    FakeOperation(FakeKey key, boolean authorised) {
        this.key = key;
        this.authorised = authorised;
    }

    /** The operation behind a Signature or Cipher of this Keystore. */
    static FakeOperation of(Object object) {
        AlgorithmParameters parameters =
                object instanceof Signature ? ((Signature) object).getParameters() : ((Cipher) object).getParameters();
        return ((Parameters) parameters).operation;
    }

    /** Authorises the operation, if the key accepts this kind of authentication. */
    void authorise(int type) {
        authorised |= (key.authenticationType() & type) != 0 && FakeAndroid.now().unlockedSinceBoot;
    }

    /** Null once authorised, else what the Keystore says. */
    android.security.KeyStoreException refusal() {
        FakeAndroid.now().keystore.notOnMain();
        return authorised && !key.ended ? null : FakeKeystore.keystoreException(USER_AUTHENTICATION_REQUIRED, false);
    }

    AlgorithmParameters parameters() {
        return new Parameters(this);
    }

    /** How the fake system finds the operation of a Signature or Cipher that an app gives to a prompt. */
    private static final class Parameters extends AlgorithmParameters {
        private final FakeOperation operation;

        Parameters(FakeOperation operation) {
            super(new None(), FakeProvider.INSTANCE, "operation");
            this.operation = operation;
        }
    }

    private static final class None extends AlgorithmParametersSpi {
        @Override
        protected void engineInit(AlgorithmParameterSpec spec) {}

        @Override
        protected void engineInit(byte[] bytes) throws IOException {}

        @Override
        protected void engineInit(byte[] bytes, String format) throws IOException {}

        @Override
        protected <T extends AlgorithmParameterSpec> T engineGetParameterSpec(Class<T> type) {
            return null;
        }

        @Override
        protected byte[] engineGetEncoded() {
            return null;
        }

        @Override
        protected byte[] engineGetEncoded(String format) {
            return null;
        }

        @Override
        protected String engineToString() {
            return "operation";
        }
    }
}
