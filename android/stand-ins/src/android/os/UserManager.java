package android.os;

import com.thumbturn.fake.FakeAndroid;

public class UserManager {
    UserManager() {}

    public boolean isUserUnlocked() {
        return FakeAndroid.now().unlockedSinceBoot;
    }
}
