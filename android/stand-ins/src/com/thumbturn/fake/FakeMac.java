package com.thumbturn.fake;

import android.security.keystore.KeyProperties;
import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.Mac;
import javax.crypto.MacSpi;

/** HMAC-SHA-256 with a key of the fake Keystore. */
public final class FakeMac extends MacSpi {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private FakeKey key;
    private FakeOperation operation;

    @Override
    protected void engineInit(Key secret, AlgorithmParameterSpec spec) throws InvalidKeyException {
        key = ((FakeKey.Secret) secret).key();
        operation = FakeAndroid.now().keystore.begin(key, KeyProperties.PURPOSE_SIGN);
        bytes.reset();
    }

    @Override
    protected int engineGetMacLength() {
        return 32;
    }

    @Override
    protected void engineUpdate(byte input) {
        bytes.write(input);
    }

    @Override
    protected void engineUpdate(byte[] input, int offset, int length) {
        bytes.write(input, offset, length);
    }

    @Override
    protected byte[] engineDoFinal() {
        Exception refusal = operation.refusal();
        if (refusal != null) {
            throw new IllegalStateException(refusal);
        }
        try {
            Mac real = Mac.getInstance("HmacSHA256", "SunJCE");
            real.init(key.secret);
            return real.doFinal(bytes.toByteArray());
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    protected void engineReset() {
        bytes.reset();
    }
}
