package android.hardware.biometrics;

import com.thumbturn.fake.FakeAndroid;

public class BiometricManager {
    public static final int BIOMETRIC_ERROR_HW_UNAVAILABLE = 1;
    public static final int BIOMETRIC_ERROR_NONE_ENROLLED = 11;
    public static final int BIOMETRIC_ERROR_NO_HARDWARE = 12;
    public static final int BIOMETRIC_ERROR_SECURITY_UPDATE_REQUIRED = 15;
    public static final int BIOMETRIC_SUCCESS = 0;

    BiometricManager() {
        FakeAndroid.since(29);
    }

    @Deprecated
    public int canAuthenticate() {
        FakeAndroid.since(29);
        return FakeAndroid.now().sensor.canAuthenticate(Authenticators.BIOMETRIC_WEAK);
    }

    public int canAuthenticate(int authenticators) {
        FakeAndroid.since(30);
        return FakeAndroid.now().sensor.canAuthenticate(authenticators);
    }

    public interface Authenticators {
        int BIOMETRIC_STRONG = 15;
        int BIOMETRIC_WEAK = 255;
        int DEVICE_CREDENTIAL = 32768;
    }
}
