#include "CJNI.h"
#include <jni.h>
#include <pthread.h>

static JavaVM *vm;
static jclass bridge;
static jmethodID begin_method;
static pthread_key_t attached;

static void detach(void *environment) {
    (void)environment;
    (*vm)->DetachCurrentThread(vm);
}

int32_t thumbturn_load(void *machine) {
    JNIEnv *env;
    vm = machine;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK) return JNI_ERR;
    jclass found = (*env)->FindClass(env, "com/thumbturn/internal/Bridge");
    if (found == NULL) return JNI_ERR;
    bridge = (*env)->NewGlobalRef(env, found);
    begin_method = (*env)->GetStaticMethodID(env, found, "begin", "(JI[B)V");
    (*env)->DeleteLocalRef(env, found);
    if (bridge == NULL || begin_method == NULL || pthread_key_create(&attached, detach) != 0) return JNI_ERR;
    return JNI_VERSION_1_6;
}

void *thumbturn_environment(void) {
    JNIEnv *env = NULL;
    if (vm == NULL) return NULL;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) == JNI_OK) return env;
#ifdef __ANDROID__
    jint result = (*vm)->AttachCurrentThreadAsDaemon(vm, &env, NULL);
#else
    jint result = (*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&env, NULL);
#endif
    if (result != JNI_OK) return NULL;
    pthread_setspecific(attached, env);
    return env;
}

static int32_t cleared(JNIEnv *env) {
    if (!(*env)->ExceptionCheck(env)) return 0;
    (*env)->ExceptionClear(env);
    return -1;
}

int32_t thumbturn_begin(int64_t id, int32_t operation, const uint8_t *bytes, int64_t count) {
    if (count < 0 || count > INT32_MAX) return -1;
    JNIEnv *env = thumbturn_environment();
    if (env == NULL) return -1;
    jbyteArray array = (*env)->NewByteArray(env, (jsize)count);
    if (array == NULL) return cleared(env), -1;
    if (count > 0) (*env)->SetByteArrayRegion(env, array, 0, (jsize)count, (const jbyte *)bytes);
    (*env)->CallStaticVoidMethod(env, bridge, begin_method, (jlong)id, (jint)operation, array);
    int32_t result = cleared(env);
    (*env)->DeleteLocalRef(env, array);
    return result;
}

int64_t thumbturn_length(void *environment, void *array) {
    JNIEnv *env = environment;
    return array == NULL ? -1 : (*env)->GetArrayLength(env, (jbyteArray)array);
}

int32_t thumbturn_read(void *environment, void *array, uint8_t *into, int64_t count) {
    JNIEnv *env = environment;
    (*env)->GetByteArrayRegion(env, (jbyteArray)array, 0, (jsize)count, (jbyte *)into);
    return cleared(env);
}
