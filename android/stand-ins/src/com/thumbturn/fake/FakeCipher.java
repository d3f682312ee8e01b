package com.thumbturn.fake;

import android.security.keystore.KeyProperties;
import java.io.ByteArrayOutputStream;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.AEADBadTagException;
import javax.crypto.BadPaddingException;
import javax.crypto.Cipher;
import javax.crypto.CipherSpi;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.spec.GCMParameterSpec;

/** AES-GCM with a key of the fake Keystore, which chooses each IV itself. */
public final class FakeCipher extends CipherSpi {
    private static final int IV_BYTES = 12;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private int mode;
    private FakeKey key;
    private FakeOperation operation;
    private GCMParameterSpec parameters;

    @Override
    protected void engineInit(int opmode, Key secret, SecureRandom random) throws InvalidKeyException {
        byte[] iv = new byte[IV_BYTES];
        new SecureRandom().nextBytes(iv);
        begin(opmode, secret, new GCMParameterSpec(128, iv));
    }

    @Override
    protected void engineInit(int opmode, Key secret, AlgorithmParameterSpec spec, SecureRandom random)
            throws InvalidKeyException, InvalidAlgorithmParameterException {
        if (opmode == Cipher.ENCRYPT_MODE) {
            throw new InvalidAlgorithmParameterException("Caller-provided IV not permitted when encrypting");
        }
        begin(opmode, secret, (GCMParameterSpec) spec);
    }

    private void begin(int opmode, Key secret, GCMParameterSpec spec) throws InvalidKeyException {
        mode = opmode;
        key = ((FakeKey.Secret) secret).key();
        parameters = spec;
        int purpose = mode == Cipher.ENCRYPT_MODE ? KeyProperties.PURPOSE_ENCRYPT : KeyProperties.PURPOSE_DECRYPT;
        operation = FakeAndroid.now().keystore.begin(key, purpose);
        bytes.reset();
    }

    @Override
    protected byte[] engineUpdate(byte[] input, int offset, int length) {
        bytes.write(input, offset, length);
        return new byte[0];
    }

    @Override
    protected byte[] engineDoFinal(byte[] input, int offset, int length)
            throws IllegalBlockSizeException, BadPaddingException {
        if (input != null) {
            bytes.write(input, offset, length);
        }
        Exception refusal = operation.refusal();
        if (refusal != null) {
            IllegalBlockSizeException thrown = new IllegalBlockSizeException();
            thrown.initCause(refusal);
            throw thrown;
        }
        try {
            Cipher real = Cipher.getInstance("AES/GCM/NoPadding", "SunJCE");
            real.init(mode, key.secret, parameters);
            return real.doFinal(bytes.toByteArray());
        } catch (AEADBadTagException forged) {
            throw forged;
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    protected byte[] engineGetIV() {
        return parameters.getIV();
    }

    @Override
    protected AlgorithmParameters engineGetParameters() {
        return operation.parameters();
    }

    @Override
    protected int engineUpdate(byte[] input, int offset, int length, byte[] output, int outputOffset) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected int engineDoFinal(byte[] input, int offset, int length, byte[] output, int outputOffset) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected void engineInit(int opmode, Key secret, AlgorithmParameters params, SecureRandom random) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected void engineSetMode(String name) {}

    @Override
    protected void engineSetPadding(String name) {}

    @Override
    protected int engineGetBlockSize() {
        return 16;
    }

    @Override
    protected int engineGetOutputSize(int length) {
        return length + 16;
    }
}
