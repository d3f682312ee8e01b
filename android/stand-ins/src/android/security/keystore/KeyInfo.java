package android.security.keystore;

import com.thumbturn.fake.FakeAndroid;
import java.security.spec.KeySpec;

public class KeyInfo implements KeySpec {
    private final int securityLevel;

    KeyInfo(int securityLevel) {
        this.securityLevel = securityLevel;
    }

    public int getSecurityLevel() {
        FakeAndroid.since(31);
        return securityLevel;
    }

    @Deprecated
    public boolean isInsideSecureHardware() {
        return securityLevel > KeyProperties.SECURITY_LEVEL_SOFTWARE;
    }
}
