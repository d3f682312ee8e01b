package android.view.accessibility;

import com.thumbturn.fake.FakeAndroid;

public final class AccessibilityManager {
    AccessibilityManager() {}

    public boolean isTouchExplorationEnabled() {
        return FakeAndroid.now().touchExploration;
    }
}
