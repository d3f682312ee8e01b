package com.thumbturn.fake;

import com.thumbturn.fake.FakeKeystore.Trouble;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.Key;
import java.security.KeyStoreException;
import java.security.KeyStoreSpi;
import java.security.UnrecoverableKeyException;
import java.security.cert.Certificate;
import java.util.Collections;
import java.util.Date;
import java.util.Enumeration;

/** The list of keys as apps see it. */
public final class FakeKeyStoreSpi extends KeyStoreSpi {
    private static final int INTERNAL_SYSTEM_ERROR = 4;

    private static FakeKeystore keystore() {
        FakeKeystore keystore = FakeAndroid.now().keystore;
        keystore.notOnMain();
        return keystore;
    }

    @Override
    public Key engineGetKey(String alias, char[] password) throws UnrecoverableKeyException {
        if (keystore().trouble == Trouble.ALL) {
            UnrecoverableKeyException failed = new UnrecoverableKeyException("Failed to obtain information about the key");
            failed.initCause(FakeKeystore.keystoreException(INTERNAL_SYSTEM_ERROR, true));
            throw failed;
        }
        FakeKey key = keystore().key(alias);
        return key == null ? null : key.handle();
    }

    @Override
    public Certificate[] engineGetCertificateChain(String alias) {
        FakeKey key = keystore().key(alias);
        return key == null || key.chain == null || keystore().trouble != Trouble.NONE ? null : key.chain.clone();
    }

    @Override
    public Certificate engineGetCertificate(String alias) {
        Certificate[] chain = engineGetCertificateChain(alias);
        return chain == null ? null : chain[0];
    }

    @Override
    public void engineDeleteEntry(String alias) throws KeyStoreException {
        if (keystore().trouble == Trouble.ALL) {
            throw new KeyStoreException(
                    "Failed to delete entry: " + alias, FakeKeystore.keystoreException(INTERNAL_SYSTEM_ERROR, true));
        }
        keystore().delete(alias);
    }

    @Override
    public Enumeration<String> engineAliases() {
        if (keystore().trouble == Trouble.NONE) {
            return Collections.enumeration(keystore().aliases());
        }
        int level = FakeAndroid.level();
        // Levels 31 to 33 make an enumeration of null, the others one of nothing.
        return Collections.enumeration(31 <= level && level <= 33 ? null : Collections.<String>emptyList());
    }

    @Override
    public boolean engineContainsAlias(String alias) {
        return keystore().trouble != Trouble.ALL && keystore().key(alias) != null;
    }

    @Override
    public int engineSize() {
        return keystore().aliases().size();
    }

    @Override
    public boolean engineIsKeyEntry(String alias) {
        return engineContainsAlias(alias);
    }

    @Override
    public boolean engineIsCertificateEntry(String alias) {
        return false;
    }

    @Override
    public void engineLoad(InputStream stream, char[] password) {}

    @Override
    public Date engineGetCreationDate(String alias) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void engineSetKeyEntry(String alias, Key key, char[] password, Certificate[] chain) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void engineSetKeyEntry(String alias, byte[] key, Certificate[] chain) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void engineSetCertificateEntry(String alias, Certificate certificate) {
        throw new UnsupportedOperationException();
    }

    @Override
    public String engineGetCertificateAlias(Certificate certificate) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void engineStore(OutputStream stream, char[] password) {
        throw new UnsupportedOperationException();
    }
}
