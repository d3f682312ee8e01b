package android.hardware.fingerprint;

import com.thumbturn.fake.FakeAndroid;

@Deprecated
public class FingerprintManager {
    FingerprintManager() {}

    @Deprecated
    public boolean hasEnrolledFingerprints() {
        return FakeAndroid.now().sensor.enrolled > 0;
    }

    @Deprecated
    public boolean isHardwareDetected() {
        return FakeAndroid.now().sensor.strength != com.thumbturn.fake.FakeSensor.Strength.NONE;
    }
}
