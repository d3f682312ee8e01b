package android.app;

import com.thumbturn.fake.FakeAndroid;

public class KeyguardManager {
    KeyguardManager() {}

    public boolean isDeviceLocked() {
        return FakeAndroid.now().locked;
    }

    public boolean isDeviceSecure() {
        return FakeAndroid.now().sensor.secure;
    }
}
