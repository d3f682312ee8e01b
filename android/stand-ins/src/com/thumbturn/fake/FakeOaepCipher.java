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
import java.security.spec.MGF1ParameterSpec;
import java.util.Arrays;
import java.util.List;
import javax.crypto.BadPaddingException;
import javax.crypto.Cipher;
import javax.crypto.CipherSpi;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.spec.OAEPParameterSpec;

/** Decrypts RSA-OAEP with a key of the fake Keystore, which knows SHA-1 only for MGF1, as phones do before level 35. */
public final class FakeOaepCipher extends CipherSpi {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private FakeKey key;
    private FakeOperation operation;
    private OAEPParameterSpec parameters;

    @Override
    protected void engineInit(int opmode, Key privateKey, AlgorithmParameterSpec spec, SecureRandom random)
            throws InvalidKeyException, InvalidAlgorithmParameterException {
        key = ((FakeKey.Private) privateKey).key();
        parameters = (OAEPParameterSpec) spec;
        List<String> digests = Arrays.asList(key.spec.getDigests());
        String mgf = ((MGF1ParameterSpec) parameters.getMGFParameters()).getDigestAlgorithm();
        if (opmode != Cipher.DECRYPT_MODE || !mgf.equals("SHA-1")) {
            throw new InvalidAlgorithmParameterException("Unsupported MGF1 digest: " + mgf);
        }
        if (!digests.contains(parameters.getDigestAlgorithm())
                || !digests.contains(mgf)
                || !Arrays.asList(key.spec.getEncryptionPaddings()).contains("OAEPPadding")) {
            throw new InvalidKeyException("Keystore operation failed", FakeKeystore.keystoreException(13, false));
        }
        operation = FakeAndroid.now().keystore.begin(key, KeyProperties.PURPOSE_DECRYPT);
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
            Cipher real = Cipher.getInstance("RSA/ECB/OAEPPadding", "SunJCE");
            real.init(Cipher.DECRYPT_MODE, key.pair.getPrivate(), parameters);
            return real.doFinal(bytes.toByteArray());
        } catch (BadPaddingException forged) {
            throw forged;
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    protected AlgorithmParameters engineGetParameters() {
        return operation.parameters();
    }

    @Override
    protected byte[] engineGetIV() {
        return null;
    }

    @Override
    protected void engineInit(int opmode, Key privateKey, SecureRandom random) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected void engineInit(int opmode, Key privateKey, AlgorithmParameters params, SecureRandom random) {
        throw new UnsupportedOperationException();
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
    protected void engineSetMode(String name) {}

    @Override
    protected void engineSetPadding(String name) {}

    @Override
    protected int engineGetBlockSize() {
        return 0;
    }

    @Override
    protected int engineGetOutputSize(int length) {
        return 256;
    }
}
