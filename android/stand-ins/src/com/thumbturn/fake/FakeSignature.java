package com.thumbturn.fake;

import android.security.keystore.KeyProperties;
import java.io.ByteArrayOutputStream;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.SignatureSpi;

/** Signs with a P-256 key of the fake Keystore. */
public final class FakeSignature extends SignatureSpi {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private FakeKey key;
    private FakeOperation operation;

    @Override
    protected void engineInitSign(PrivateKey privateKey) throws InvalidKeyException {
        key = ((FakeKey.Private) privateKey).key();
        operation = FakeAndroid.now().keystore.begin(key, KeyProperties.PURPOSE_SIGN);
        bytes.reset();
    }

    @Override
    protected void engineInitVerify(PublicKey publicKey) throws InvalidKeyException {
        throw new InvalidKeyException();
    }

    @Override
    protected void engineUpdate(byte b) {
        bytes.write(b);
    }

    @Override
    protected void engineUpdate(byte[] b, int offset, int length) {
        bytes.write(b, offset, length);
    }

    @Override
    protected byte[] engineSign() throws SignatureException {
        Exception refusal = operation.refusal();
        if (refusal != null) {
            throw new SignatureException(refusal);
        }
        try {
            Signature real = Signature.getInstance("SHA256withECDSA", "SunEC");
            real.initSign(key.pair.getPrivate());
            real.update(bytes.toByteArray());
            return real.sign();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    protected boolean engineVerify(byte[] signature) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected AlgorithmParameters engineGetParameters() {
        return operation.parameters();
    }

    @Override
    @Deprecated
    protected void engineSetParameter(String name, Object value) {
        throw new UnsupportedOperationException();
    }

    @Override
    @Deprecated
    protected Object engineGetParameter(String name) {
        throw new UnsupportedOperationException();
    }
}
