/* A Vulkan layer that makes a driver fail or answer wrongly once in a while, to test what layoutproof reports.
 *
 * ci/driver-faults/run compiles and loads it. It counts the calls of vkWaitForFences of all processes that load it: that is
 * how runners/vulkan waits. It chooses about one in N by a hash, and injects a fault after the device has done the work.
 * These variables control it:
 *
 *   DRIVER_FAULTS_KIND    abort, lost, timeout, shifted or zero; if unset, the layer only counts waits
 *   DRIVER_FAULTS_EVERY   N
 *   DRIVER_FAULTS_SEED    chooses other waits
 *   DRIVER_FAULTS_MOST    most faults; 0: no limit
 *   DRIVER_FAULTS_COUNTS  a file with the numbers of waits and of faults so far, which the layer updates
 *   DRIVER_FAULTS_LOG     a file to which the layer appends a line for each fault: number of the wait, process, kind,
 *                         device
 *
 * shifted moves the contents of all mapped memory by one word and zero clears them, as does a driver that copies from the
 * wrong place or too late. The memory must be host-coherent. Waits that fail by themselves do not count.
 */

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define EXPORT __attribute__((visibility("default")))
#define NAME "VK_LAYER_LAYOUTPROOF_driver_faults"
#define WORD 4

/* Memory of a device that is mapped now. */
struct Mapping {
    VkDeviceMemory memory;
    unsigned char *start;
    VkDeviceSize size;
    struct Mapping *next;
};

struct Instance {
    /* The loader's dispatch table, which an instance and its physical devices share. */
    void *key;
    PFN_vkGetInstanceProcAddr get;
    PFN_vkDestroyInstance destroy;
    PFN_vkGetPhysicalDeviceProperties properties;
    struct Instance *next;
};

struct Device {
    /* The loader's dispatch table. */
    void *key;
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    PFN_vkGetDeviceProcAddr get;
    PFN_vkDestroyDevice destroy;
    PFN_vkFreeMemory free;
    PFN_vkMapMemory map;
    PFN_vkUnmapMemory unmap;
    PFN_vkWaitForFences wait_for_fences;
    struct Mapping *mappings;
    struct Device *next;
};

enum Kind { NONE, ABORT, LOST, TIMEOUT, SHIFTED, ZERO };
static const char *const KINDS[] = {"none", "abort", "lost", "timeout", "shifted", "zero"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct Instance *instances;
static struct Device *devices;

static void fail(const char *what)
{
    fprintf(stderr, NAME ": %s\n", what);
    _exit(99);
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *value = variable(name);
    return value ? strtoull(value, NULL, 10) : otherwise;
}

static enum Kind chosen_kind(void)
{
    const char *value = variable("DRIVER_FAULTS_KIND");
    if (!value)
        return NONE;
    for (int kind = ABORT; kind <= ZERO; kind++)
        if (strcmp(value, KINDS[kind]) == 0)
            return kind;
    fail("unknown DRIVER_FAULTS_KIND");
    return NONE;
}

/* SplitMix64. Plain multiples would fall on the same job of every batch. */
static uint64_t hash(uint64_t value)
{
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

/* Counts a wait, and returns the fault to inject in it. The log has the fault before it happens. */
static enum Kind next_fault(const struct Device *device)
{
    const char *path = variable("DRIVER_FAULTS_COUNTS"), *log = variable("DRIVER_FAULTS_LOG");
    if (!path)
        fail("DRIVER_FAULTS_COUNTS is not set");
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0 || flock(file, LOCK_EX) != 0)
        fail("the file of DRIVER_FAULTS_COUNTS cannot be opened");

    char text[64] = "";
    uint64_t waits = 0, faults = 0;
    if (pread(file, text, sizeof text - 1, 0) > 0)
        sscanf(text, "%" SCNu64 " %" SCNu64, &waits, &faults);
    waits += 1;

    enum Kind kind = chosen_kind();
    uint64_t every = number("DRIVER_FAULTS_EVERY", 1), most = number("DRIVER_FAULTS_MOST", 0);
    bool is_hit = every > 0 && hash(number("DRIVER_FAULTS_SEED", 0) ^ hash(waits)) % every == 0;
    if (!is_hit || (most > 0 && faults >= most))
        kind = NONE;
    if (kind != NONE) {
        faults += 1;
        FILE *out = log ? fopen(log, "ae") : NULL;
        const char *line = "%" PRIu64 "\t%ld\t%s\t%s\n";
        if (!out || fprintf(out, line, waits, (long)getpid(), KINDS[kind], device->name) < 0 || fclose(out) != 0)
            fail("the file of DRIVER_FAULTS_LOG cannot be written");
    }

    int length = snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64 "\n", waits, faults);
    if (pwrite(file, text, (size_t)length, 0) != length)
        fail("the file of DRIVER_FAULTS_COUNTS cannot be written");
    close(file);
    return kind;
}

static struct Device *device_of(const void *handle)
{
    void *key = *(void *const *)handle;
    pthread_mutex_lock(&lock);
    struct Device *device = devices;
    while (device && device->key != key)
        device = device->next;
    pthread_mutex_unlock(&lock);
    if (!device)
        fail("a device that was not created through the layer");
    return device;
}

/* The result of a wait that the driver ended with `result`. */
static VkResult after_wait(struct Device *device, VkResult result)
{
    if (result != VK_SUCCESS)
        return result;
    enum Kind kind = next_fault(device);
    switch (kind) {
    case NONE:
        return VK_SUCCESS;
    case ABORT:
        fprintf(stderr, NAME ": an abort was injected\n");
        abort();
    case LOST:
        return VK_ERROR_DEVICE_LOST;
    case TIMEOUT:
        return VK_TIMEOUT;
    case SHIFTED:
    case ZERO:
        break;
    }

    pthread_mutex_lock(&lock);
    for (struct Mapping *it = device->mappings; it; it = it->next) {
        if (kind == ZERO || it->size <= WORD)
            memset(it->start, 0, it->size);
        else
            memmove(it->start + WORD, it->start, it->size - WORD);
    }
    pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_for_fences(
    VkDevice handle, uint32_t count, const VkFence *fences, VkBool32 all, uint64_t limit)
{
    struct Device *device = device_of(handle);
    return after_wait(device, device->wait_for_fences(handle, count, fences, all, limit));
}

static VKAPI_ATTR VkResult VKAPI_CALL map_memory(
    VkDevice handle, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size, VkMemoryMapFlags flags,
    void **start)
{
    struct Device *device = device_of(handle);
    if (size == VK_WHOLE_SIZE)
        fail("memory is mapped without a size");
    VkResult result = device->map(handle, memory, offset, size, flags, start);
    struct Mapping *mapping = result == VK_SUCCESS ? malloc(sizeof *mapping) : NULL;
    if (mapping) {
        pthread_mutex_lock(&lock);
        *mapping = (struct Mapping){memory, *start, size, device->mappings};
        device->mappings = mapping;
        pthread_mutex_unlock(&lock);
    }
    return result;
}

static void forget_mapping(struct Device *device, VkDeviceMemory memory)
{
    pthread_mutex_lock(&lock);
    for (struct Mapping **at = &device->mappings; *at; at = &(*at)->next)
        if ((*at)->memory == memory) {
            struct Mapping *old = *at;
            *at = old->next;
            free(old);
            break;
        }
    pthread_mutex_unlock(&lock);
}

static VKAPI_ATTR void VKAPI_CALL unmap_memory(VkDevice handle, VkDeviceMemory memory)
{
    struct Device *device = device_of(handle);
    forget_mapping(device, memory);
    device->unmap(handle, memory);
}

static VKAPI_ATTR void VKAPI_CALL free_memory(
    VkDevice handle, VkDeviceMemory memory, const VkAllocationCallbacks *callbacks)
{
    struct Device *device = device_of(handle);
    forget_mapping(device, memory);
    device->free(handle, memory, callbacks);
}

static VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice handle, const VkAllocationCallbacks *callbacks)
{
    if (!handle)
        return;
    struct Device *device = device_of(handle);
    pthread_mutex_lock(&lock);
    struct Device **at = &devices;
    while (*at != device)
        at = &(*at)->next;
    *at = device->next;
    pthread_mutex_unlock(&lock);
    device->destroy(handle, callbacks);
    free(device);
}

/* The next layer's part of a chain of creation, after it was taken from the chain. */
static VkLayerDeviceLink *next_device_layer(const void *chain)
{
    for (VkLayerDeviceCreateInfo *info = (void *)chain; info; info = (void *)info->pNext)
        if (info->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO && info->function == VK_LAYER_LINK_INFO) {
            VkLayerDeviceLink *link = info->u.pLayerInfo;
            info->u.pLayerInfo = link->pNext;
            return link;
        }
    return NULL;
}

static VkLayerInstanceLink *next_instance_layer(const void *chain)
{
    for (VkLayerInstanceCreateInfo *info = (void *)chain; info; info = (void *)info->pNext)
        if (info->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO && info->function == VK_LAYER_LINK_INFO) {
            VkLayerInstanceLink *link = info->u.pLayerInfo;
            info->u.pLayerInfo = link->pNext;
            return link;
        }
    return NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(
    VkPhysicalDevice physical, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *callbacks,
    VkDevice *handle)
{
    VkLayerDeviceLink *link = next_device_layer(info->pNext);
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr get_instance = link->pfnNextGetInstanceProcAddr;
    PFN_vkGetDeviceProcAddr get = link->pfnNextGetDeviceProcAddr;

    void *key = *(void **)physical;
    pthread_mutex_lock(&lock);
    struct Instance *instance = instances;
    while (instance && instance->key != key)
        instance = instance->next;
    pthread_mutex_unlock(&lock);

    PFN_vkCreateDevice create = (PFN_vkCreateDevice)get_instance(VK_NULL_HANDLE, "vkCreateDevice");
    struct Device *device = calloc(1, sizeof *device);
    if (!create || !device || !instance) {
        free(device);
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    VkResult result = create(physical, info, callbacks, handle);
    if (result != VK_SUCCESS) {
        free(device);
        return result;
    }

#define NEXT(function) (PFN_##function)get(*handle, #function)
    device->key = *(void **)*handle;
    device->get = get;
    device->destroy = NEXT(vkDestroyDevice);
    device->free = NEXT(vkFreeMemory);
    device->map = NEXT(vkMapMemory);
    device->unmap = NEXT(vkUnmapMemory);
    device->wait_for_fences = NEXT(vkWaitForFences);
#undef NEXT
    VkPhysicalDeviceProperties properties;
    instance->properties(physical, &properties);
    memcpy(device->name, properties.deviceName, sizeof device->name);

    pthread_mutex_lock(&lock);
    device->next = devices;
    devices = device;
    pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(
    const VkInstanceCreateInfo *info, const VkAllocationCallbacks *callbacks, VkInstance *handle)
{
    VkLayerInstanceLink *link = next_instance_layer(info->pNext);
    struct Instance *instance = calloc(1, sizeof *instance);
    PFN_vkCreateInstance create = NULL;
    if (link)
        create = (PFN_vkCreateInstance)link->pfnNextGetInstanceProcAddr(VK_NULL_HANDLE, "vkCreateInstance");
    VkResult result = create && instance ? create(info, callbacks, handle) : VK_ERROR_INITIALIZATION_FAILED;
    if (result != VK_SUCCESS) {
        free(instance);
        return result;
    }

    instance->key = *(void **)*handle;
    instance->get = link->pfnNextGetInstanceProcAddr;
    instance->destroy = (PFN_vkDestroyInstance)instance->get(*handle, "vkDestroyInstance");
    instance->properties =
        (PFN_vkGetPhysicalDeviceProperties)instance->get(*handle, "vkGetPhysicalDeviceProperties");
    pthread_mutex_lock(&lock);
    instance->next = instances;
    instances = instance;
    pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

static struct Instance *instance_of(VkInstance handle)
{
    void *key = *(void **)handle;
    pthread_mutex_lock(&lock);
    struct Instance *instance = instances;
    while (instance && instance->key != key)
        instance = instance->next;
    pthread_mutex_unlock(&lock);
    if (!instance)
        fail("an instance that was not created through the layer");
    return instance;
}

static VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance handle, const VkAllocationCallbacks *callbacks)
{
    if (!handle)
        return;
    struct Instance *instance = instance_of(handle);
    pthread_mutex_lock(&lock);
    struct Instance **at = &instances;
    while (*at != instance)
        at = &(*at)->next;
    *at = instance->next;
    pthread_mutex_unlock(&lock);
    instance->destroy(handle, callbacks);
    free(instance);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_function(VkDevice handle, const char *name);
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_function(VkInstance handle, const char *name);

struct Function {
    const char *name;
    PFN_vkVoidFunction function;
};

static const struct Function OF_INSTANCES[] = {
    {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)get_instance_function},
    {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
    {"vkDestroyInstance", (PFN_vkVoidFunction)destroy_instance},
    {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
    {NULL, NULL},
};

static const struct Function OF_DEVICES[] = {
    {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)get_device_function},
    {"vkDestroyDevice", (PFN_vkVoidFunction)destroy_device},
    {"vkFreeMemory", (PFN_vkVoidFunction)free_memory},
    {"vkMapMemory", (PFN_vkVoidFunction)map_memory},
    {"vkUnmapMemory", (PFN_vkVoidFunction)unmap_memory},
    {"vkWaitForFences", (PFN_vkVoidFunction)wait_for_fences},
    {NULL, NULL},
};

static PFN_vkVoidFunction find(const struct Function *functions, const char *name)
{
    while (functions->name && strcmp(functions->name, name) != 0)
        functions += 1;
    return functions->function;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_function(VkDevice handle, const char *name)
{
    PFN_vkVoidFunction next = device_of(handle)->get(handle, name);
    PFN_vkVoidFunction own = find(OF_DEVICES, name);
    return next && own ? own : next;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_function(VkInstance handle, const char *name)
{
    PFN_vkVoidFunction own = find(OF_INSTANCES, name);
    if (own || !handle)
        return own;
    PFN_vkVoidFunction next = instance_of(handle)->get(handle, name);
    own = find(OF_DEVICES, name);
    return next && own ? own : next;
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
    if (interface->loaderLayerInterfaceVersion < 2)
        return VK_ERROR_INITIALIZATION_FAILED;
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = get_instance_function;
    interface->pfnGetDeviceProcAddr = get_device_function;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
