// Checks Kubernetes manifests against the types of Kubernetes itself: an unknown or repeated field, or a value of another
// type, is an error.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	strict "sigs.k8s.io/yaml"
)

// kinds creates an empty object for each kind that our manifests use.
var kinds = map[string]func() any{
	"v1 ConfigMap":                       func() any { return &corev1.ConfigMap{} },
	"v1 Service":                         func() any { return &corev1.Service{} },
	"apps/v1 Deployment":                 func() any { return &appsv1.Deployment{} },
	"batch/v1 Job":                       func() any { return &batchv1.Job{} },
	"policy/v1 PodDisruptionBudget":      func() any { return &policyv1.PodDisruptionBudget{} },
	"networking.k8s.io/v1 NetworkPolicy": func() any { return &networkingv1.NetworkPolicy{} },
}

func check(text []byte) (string, error) {
	var header metav1.TypeMeta
	if err := strict.Unmarshal(text, &header); err != nil {
		return "", err
	}
	kind := header.APIVersion + " " + header.Kind
	create, known := kinds[kind]
	if !known {
		return kind, fmt.Errorf("there is no kind %q", kind)
	}
	return kind, strict.UnmarshalStrict(text, create())
}

func main() {
	file, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	reader := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(file)))
	buffer := make([]byte, len(file)+1)
	checked, failed := 0, 0
	for {
		size, err := reader.Read(buffer)
		if errors.Is(err, io.EOF) {
			break
		}
		kind, err := check(buffer[:size])
		if err != nil {
			fmt.Printf("%s: %v\n", kind, err)
			failed++
		}
		checked++
	}
	if failed > 0 || checked == 0 {
		os.Exit(1)
	}
	fmt.Printf("%d objects\n", checked)
}
